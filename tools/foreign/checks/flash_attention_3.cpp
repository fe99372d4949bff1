// FlashAttention-3's schedulers: each tile of each head, sequence and split once, for the consumers too.
#include <cutlass/numeric_conversion.h>
#include "cutlass.hpp"
#define named_barrier_sync sync_of_ptx
#define named_barrier_arrive arrive_of_ptx
#include <named_barrier.hpp>
#undef named_barrier_sync
#undef named_barrier_arrive
namespace flash {
void named_barrier_sync(unsigned threads, auto number) {
  simt::bar_sync(unsigned(number), threads);
}
void named_barrier_arrive(unsigned threads, auto number) {
  simt::bar_arrive(unsigned(number), threads);
}
}  // namespace flash
#include <utils.h>
#define __CUDA_ARCH__ 900
#include <tile_scheduler.hpp>

using namespace flash;

/// Checks a scheduler over sequences of random lengths (Varlen) or of 1000 rows each, in tiles of 64.
template <class Scheduler, bool Varlen = false, bool Split = false, bool Pack = false, bool Prepared = false,
          bool Sort = false>
void check(tally& all) {
  for (int round = 0; round < 30; ++round) {
    const int heads = any(1, 9), batch = any(1, round % 4 == 0 ? 100 : 6), group = any(1, 4),
              splits = Split ? any(1, 4) : 1;
    std::vector<int> begin{0}, lengths, order(batch), tiles(batch), parts(batch), near(batch);
    for (int i = 0, most = any(0, 4) == 0 ? 64 : 1000; i < batch; ++i)
      lengths.push_back(!Varlen          ? most
                        : any(0, 3) == 0 ? 0
                                         : any(1, most)),
          begin.push_back(begin[i] + lengths[i]), order[i] = i;
    if (Sort) std::shuffle(order.begin(), order.end(), simt::random);
    std::vector<heddle::extent> grids(batch, {0, 0});
    for (int i = 0; i < batch; ++i) {
      tiles[i] = ((Pack ? group : 1) * lengths[order[i]] + 63) / 64, parts[i] = any(1, splits), near[i] = any(1, heads);
      grids[order[i]] = {tiles[i], heads * (Varlen && Prepared ? parts[i] : splits)};
    }
    const int longest = *std::max_element(lengths.begin(), lengths.end()),
              most = *std::max_element(tiles.begin(), tiles.end());
    if (most == 0) continue;
    int drawn = 0, known = any(0, 2);
    const auto params = Scheduler::to_underlying_arguments({most, heads, batch, splits, group, longest, 1024, 128, 128,
                                                            2, &drawn, Varlen && known != 1 ? begin.data() : nullptr,
                                                            Varlen && known >= 1 ? lengths.data() : nullptr,
                                                            parts.data(), tiles.data(), order.data(), near.data()});
    heddle::laws::tile_log log(grids);
    const auto kernel = [&] {
      __shared__ typename Scheduler::SharedStorage storage;
      Scheduler its(&storage);
      const auto run = [&]<bool Produces>(std::bool_constant<Produces>) {
        for (auto work = its.template get_initial_work<Produces>(params); work.is_valid(params);
             work = its.template get_next_work<Produces>(params, work)) {
          const auto [tile, head, sequence, split] = work.get_block_coord(params);
          const int part = split & 0xffff, of = grids[sequence].cols / heads;
          if (threadIdx.x == 32)
            log.take(part < of && (!(Varlen && Split) || split >> 16 == of) ? sequence : -1, tile, head * of + part);
          if (Produces) its.prefetch_next_work(params, work);
        }
      };
      if (threadIdx.x < 32) return run(std::true_type());
      its.init_consumer();
      run(std::false_type());
    };
    const dim3 blocks = Scheduler::get_grid_shape(params, any(1, 16));
    round < 2 ? simt::launch_together({.blocks = blocks, .threads = 64, .resident = 3}, kernel)
              : simt::launch(blocks, 64, kernel);
    all.add(log.report(), batch, longest);
  }
}

template <bool... Is>
using varlen = VarlenDynamicPersistentTileScheduler<64, 128, 32, 32, Is...>;

int main() {
  tally all{"FlashAttention-3"};
  check<SingleTileScheduler<false, false, false, 64>>(all);
  check<SingleTileScheduler<false, true, false, 64>, false, true>(all);
  check<SingleTileScheduler<true, false, false, 64>, true>(all);
  check<SingleTileScheduler<true, true, true, 64>, true, true, true, true>(all);
  check<StaticPersistentTileScheduler<false>>(all);
  check<StaticPersistentTileScheduler<true>, false, true>(all);
  check<DynamicPersistentTileScheduler<32, 32, false, false>>(all);
  check<DynamicPersistentTileScheduler<32, 32, true, false>, false, true>(all);
  check<DynamicPersistentTileScheduler<32, 32, false, true>, false, false, true>(all);
  check<SingleTileBwdLPTScheduler<false, 64, false>>(all);
  check<SingleTileBwdLPTScheduler<true, 64, true>, true>(all);
  check<varlen<false, false, true, false, false, true>, true, false, false, true>(all);
  check<varlen<false, false, true, true, true, true>, true, false, false, true, true>(all);
  check<varlen<true, true, true, true, true, true>, true, true, true, true, true>(all);
  check<varlen<true, true, true, true, false, false>, true, true, true>(all);
  check<varlen<false, true, true, false, false, false>, true, false, true>(all);
}

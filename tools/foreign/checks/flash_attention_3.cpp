// FlashAttention-3's schedulers: each tile of each head, sequence and split once, as the consumers see them.
#include "cutlass.hpp"

#include <cutlass/numeric_conversion.h>
namespace flash {  // in place of named_barrier.hpp, which is inline PTX
void named_barrier_sync(unsigned threads, cutlass::arch::ReservedNamedBarriers number) {
  simt::bar_sync(unsigned(number), threads);
}
void named_barrier_arrive(unsigned threads, cutlass::arch::ReservedNamedBarriers number) {
  simt::bar_arrive(unsigned(number), threads);
}
}  // namespace flash
#include <utils.h>
#define __CUDA_ARCH__ 900
#include <tile_scheduler.hpp>

template <class Scheduler>
auto taken(const typename Scheduler::Params& params, std::vector<heddle::extent> grids, int heads, bool together) {
  heddle::laws::tile_log log(grids);  // of sequences: a row of tiles has those of each head and split
  const auto kernel = [&] {
    __shared__ typename Scheduler::SharedStorage storage;
    Scheduler its(&storage);
    const auto run = [&]<bool Produces>(std::bool_constant<Produces>) {
      for (auto work = its.template get_initial_work<Produces>(params); work.is_valid(params);
           work = its.template get_next_work<Produces>(params, work)) {
        const auto [tile, head, sequence, split] = work.get_block_coord(params);
        const int part = split & 0xffff, parts = grids[sequence].cols / heads, said = split >> 16;  // 0: unsaid
        const bool is_part = part < parts && (said == 0 || said == parts);
        if (threadIdx.x == 32) log.take(is_part ? sequence : -1, tile, head * parts + part);
        if (Produces) its.prefetch_next_work(params, work);
      }
    };
    if (threadIdx.x < 32) return run(std::true_type());
    its.init_consumer(), run(std::false_type());
  };
  const dim3 blocks = Scheduler::get_grid_shape(params, any(1, 16));
  if (together) simt::launch_together({.blocks = blocks, .threads = 64, .resident = 3}, kernel);
  if (!together) simt::launch(blocks, 64, kernel);
  return log.report();
}

// The sweep: sequences of random lengths (Varlen) or of the same, in tiles of 64 rows.
using namespace flash;

template <class Scheduler, bool Varlen = 0, bool Split = 0, bool Pack = 0, bool Prepared = 0, bool Sort = 0>
void check(tally& all) {
  for (int round = 0; round < 30; ++round) {
    const int heads = any(1, 9), batch = any(1, round % 4 == 0 ? 100 : 6), group = any(1, 4), splits = any(1, 4);
    std::vector<int> begin{0}, lengths, order(batch), tiles(batch), parts(batch), near(batch);
    for (int i = 0, most = any(0, 4) == 0 ? 64 : 1000; i < batch; ++i) {
      lengths.push_back(Varlen ? (any(0, 3) > 0) * any(1, most) : most);
      begin.push_back(begin[i] + lengths[i]), order[i] = i;
    }
    if (Sort) std::shuffle(order.begin(), order.end(), simt::random);
    std::vector<heddle::extent> grids(batch, {0, 0});
    for (int i = 0; i < batch; ++i) {
      tiles[i] = ((Pack ? group : 1) * lengths[order[i]] + 63) / 64, parts[i] = any(1, splits), near[i] = any(1, heads);
      grids[order[i]] = {tiles[i], heads * (!Split ? 1 : Varlen && Prepared ? parts[i] : splits)};
    }
    const int longest = *std::ranges::max_element(lengths), most = *std::ranges::max_element(tiles);
    if (most == 0) continue;
    int drawn = 0, known = Varlen ? any(1, 3) : 0;  // where sequences begin, how long they are, or both
    const int* const starts = known & 1 ? begin.data() : nullptr;
    const int* const sizes = known & 2 ? lengths.data() : nullptr;
    const TileSchedulerArguments by(most, heads, batch, Split ? splits : 1, group, longest, 1024, 128, 128, 2, &drawn,
                                    starts, sizes, parts.data(), tiles.data(), order.data(), near.data());
    all.add(taken<Scheduler>(Scheduler::to_underlying_arguments(by), grids, heads, round < 2), batch, longest);
  }
}

template <bool... Is>
using varlen = VarlenDynamicPersistentTileScheduler<64, 128, 32, 32, Is...>;

int main() {
  tally all{"FlashAttention-3"};
  check<SingleTileScheduler<0, 0, 0, 64>>(all), check<SingleTileScheduler<0, 1, 0, 64>, 0, 1>(all);
  check<SingleTileScheduler<1, 0, 0, 64>, 1>(all), check<SingleTileScheduler<1, 1, 1, 64>, 1, 1, 1, 1>(all);
  check<StaticPersistentTileScheduler<0>>(all), check<StaticPersistentTileScheduler<1>, 0, 1>(all);
  check<DynamicPersistentTileScheduler<32, 32, 0, 0>>(all);
  check<DynamicPersistentTileScheduler<32, 32, 1, 0>, 0, 1>(all);
  check<DynamicPersistentTileScheduler<32, 32, 0, 1>, 0, 0, 1>(all);
  check<SingleTileBwdLPTScheduler<0, 64, 0>>(all), check<SingleTileBwdLPTScheduler<1, 64, 1>, 1>(all);
  check<varlen<0, 0, 1, 0, 0, 1>, 1, 0, 0, 1>(all), check<varlen<0, 0, 1, 1, 1, 1>, 1, 0, 0, 1, 1>(all);
  check<varlen<1, 1, 1, 1, 1, 1>, 1, 1, 1, 1, 1>(all), check<varlen<1, 1, 1, 1, 0, 0>, 1, 1, 1>(all);
  check<varlen<0, 1, 1, 0, 0, 0>, 1, 0, 1>(all);
}

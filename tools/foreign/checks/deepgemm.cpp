// DeepGEMM's scheduler of sums in groups along k under two laws: each tile once, and peers that multicast share a
// tile's row or column, its group and its k. The second is broken where a cluster straddles two groups.
#include <heddle/foreign.hpp>

#include <cstdio>
#include <cuda/std/cstdint>

#define DG_STATIC_ASSERT(holds, ...) static_assert(holds, __VA_ARGS__)
#define DG_TRAP_ONLY_DEVICE_ASSERT(holds) (void)((holds) || (__trap(), 0))
#include <deep_gemm/scheduler/gemm.cuh>

using heddle::laws::cluster_turn;
constexpr int blocks = 132, tile_m = 64, tile_n = 72;

/// Clusters of two blocks share rows of A, or columns of B.
template <bool OnA>
void check(unsigned m, unsigned n, std::vector<int> k_of_group) {
  heddle::laws::tile_log log({2, heddle::ceil_div(m, n, {tile_m, tile_n})});
  std::vector<std::vector<cluster_turn>> turns(blocks);
  simt::launch(blocks, 1, [&] {
    constexpr auto kind = deep_gemm::GemmType::KGroupedContiguous;
    deep_gemm::sched::Scheduler<kind, tile_m, tile_n, 2, 2, OnA, blocks> scheduler(m, n, 0, k_of_group.data());
    for (unsigned row, col; scheduler.get_next_block(row, col);) {
      const int group = int(scheduler.current_group_idx), k = int(scheduler.current_shape_k);
      const bool shares = scheduler.is_tma_multicast_valid(row);
      log.take(group, row, col);
      turns[blockIdx.x].push_back({{int(row), int(col)}, group, k, shares && OnA, shares && !OnA});
    }
  });
  const auto peers = heddle::laws::check_multicast(turns, OnA ? heddle::extent{1, 2} : heddle::extent{2, 1});
  std::printf("%s; %s\n", log.report().text().c_str(), peers ? "peers share" : peers.failure.c_str());
}

int main() {
  check<true>(192, 3072, {128, 256}), check<false>(192, 3072, {128, 256});
}

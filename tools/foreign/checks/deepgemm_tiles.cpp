// DeepGEMM's scheduler for each kind of product, along either side of the matrix: each tile once.
#include "cutlass.hpp"

#include <cuda/std/cstdint>
#define DG_STATIC_ASSERT(holds, ...) static_assert(holds, __VA_ARGS__)
#define DG_TRAP_ONLY_DEVICE_ASSERT(holds) (void)((holds) || (__trap(), 0))
#include <deep_gemm/scheduler/gemm.cuh>

using enum deep_gemm::GemmType;
constexpr int blocks = 8, groups = 5, side = 128;

template <deep_gemm::GemmType Kind, int Peers, bool OnA>
void check(tally& all) {
  constexpr bool along_k = deep_gemm::is_k_grouped_contiguous(Kind), psum = Kind == MGroupedContiguousWithPsumLayout;
  constexpr bool is_one = Kind == Normal || deep_gemm::is_m_grouped_contiguous(Kind);
  for (int round = 0; round < 60; ++round) {
    int rows = any(1, 3000), cols = Peers == 1 || Kind == Normal ? any(1, 3000) : 2 * side * any(1, 12), end = 0;
    std::vector<int> layout;  // sizes of groups, or where they end
    std::vector<heddle::extent> grids;
    for (int group = 0; group < groups; ++group) {
      const int its = group > 0 && any(0, 3) == 0 ? 0 : any(1, 6) * (along_k ? 128 : any(1, 150));
      end = (end + side - 1) / side * side + its;
      layout.push_back(psum || Kind == KGroupedContiguousWithPsumLayout ? end : its);
      if (psum) rows = end;
      const int high = Kind == MGroupedMasked || (along_k && its == 0) ? its : rows;
      grids.push_back(heddle::ceil_div(high, cols, {side, side}));
    }
    if (is_one) grids = {heddle::ceil_div(rows, cols, {side, side})};
    heddle::laws::tile_log log(grids);
    simt::launch(blocks, 1, [&] {
      deep_gemm::sched::Scheduler<Kind, side, side, groups, Peers, OnA, blocks> its(rows, cols, 512, layout.data());
      for (unsigned row, col; its.get_next_block(row, col);) log.take(is_one ? 0 : its.current_group_idx, row, col);
    });
    all.add(log.report(), rows, cols);
  }
}

template <deep_gemm::GemmType... Kinds>
void over(tally& all) {
  (check<Kinds, 1, false>(all), ...), (check<Kinds, 1, true>(all), ...);
  (check<Kinds, 2, false>(all), ...), (check<Kinds, 2, true>(all), ...);
}

int main() {
  tally all{"DeepGEMM"};
  over<Normal, Batched, MGroupedContiguous, MGroupedMasked, MGroupedContiguousWithPsumLayout>(all);
  over<KGroupedContiguous, KGroupedContiguousWithPsumLayout>(all);
}

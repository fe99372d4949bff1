// DeepGEMM's scheduler for each kind of product, along either side of the matrix: each tile once.
#include <heddle/foreign.hpp>

#include <cuda/std/cstdint>

#define DG_STATIC_ASSERT(holds, ...) static_assert(holds, __VA_ARGS__)
#define DG_TRAP_ONLY_DEVICE_ASSERT(holds) (void)((holds) || (__trap(), 0))
#include <deep_gemm/scheduler/gemm.cuh>

#include "tally.hpp"

using enum deep_gemm::GemmType;
constexpr int blocks = 8, groups = 5, side = 128;

template <deep_gemm::GemmType Kind, int Peers, bool OnA>
void check(tally& all) {
  const auto any = [](unsigned most) { return int(simt::random() % most); };
  const auto tiles = [](int size) { return (size + side - 1) / side; };
  const bool is_one = Kind == Normal || Kind == MGroupedContiguous || Kind == MGroupedContiguousWithPsumLayout;
  for (int round = 0; round < 60; ++round) {
    int rows = 1 + any(3000), cols = 1 + any(3000);
    if (Peers == 2 && Kind != Normal) cols = 2 * side * (1 + any(12));  // as DeepGEMM asks for
    std::vector<int> layout;
    std::vector<heddle::extent> grids;
    for (int group = 0, end = 0; group < groups; ++group) {
      const int its = any(4) == 0 ? 0 : 1 + any(900), k = group > 0 && its == 0 ? 0 : 128 * (1 + any(6));
      const bool is_k = Kind == KGroupedContiguous || Kind == KGroupedContiguousWithPsumLayout;
      end = (end + side - 1) / side * side + (is_k ? k : its);
      const bool is_sum = Kind == MGroupedContiguousWithPsumLayout || Kind == KGroupedContiguousWithPsumLayout;
      layout.push_back(is_sum ? end : is_k ? k : its);
      grids.push_back({Kind == MGroupedMasked ? tiles(its) : is_k && k == 0 ? 0 : tiles(rows), tiles(cols)});
      if (Kind == MGroupedContiguousWithPsumLayout) rows = end;
    }
    if (is_one) grids = {{tiles(rows), tiles(cols)}};
    heddle::laws::tile_log log(grids);
    simt::launch(blocks, 1, [&] {
      deep_gemm::sched::Scheduler<Kind, side, side, groups, Peers, OnA, blocks> its(rows, cols, 512, layout.data());
      for (unsigned row, col; its.get_next_block(row, col);) log.take(is_one ? 0 : its.current_group_idx, row, col);
    });
    all.add(log.report(), "kind " + std::to_string(int(Kind)) + ", " + std::to_string(rows) + " x " + std::to_string(cols));
  }
}

template <int Peers, bool OnA>
void kinds(tally& all) {
  check<Normal, Peers, OnA>(all), check<MGroupedContiguous, Peers, OnA>(all), check<MGroupedMasked, Peers, OnA>(all);
  check<MGroupedContiguousWithPsumLayout, Peers, OnA>(all), check<KGroupedContiguous, Peers, OnA>(all);
  check<KGroupedContiguousWithPsumLayout, Peers, OnA>(all);
  if (Peers == 1) check<Batched, 1, OnA>(all);
}

int main() {
  tally all{"DeepGEMM"};
  kinds<1, false>(all), kinds<1, true>(all), kinds<2, false>(all), kinds<2, true>(all);
}

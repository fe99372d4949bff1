// CUTLASS's static and stream-K schedulers: each step along k of each tile once, and one epilogue of each tile.
#include "cutlass.hpp"
#define __CUDA_ARCH__ 900
#include <cutlass/gemm/kernel/sm90_tile_scheduler_stream_k.hpp>

using namespace cute;
using namespace cutlass::gemm::kernel::detail;
using tile = Shape<_128, _128, _64>;

template <class Scheduler>
void check(tally& all, auto cluster, auto by) {
  const auto problem = make_shape(any(1, 2500), any(1, 2500), any(1, 2560), any(1, 3));
  const auto [m, n, k, l] = problem;
  const int steps = (k + 63) / 64, processors = std::array{8, 22, 132}[any(0, 2)];
  const heddle::extent grid = heddle::ceil_div(m, n, {128, 128});
  heddle::laws::tile_log log(std::vector(l * (steps + 1), grid));  // steps of each layer, and then epilogues
  const auto params = Scheduler::to_underlying_arguments(problem, tile(), cluster, {0, processors}, by, nullptr);
  const auto kernel = [&] {
    Scheduler its(params);
    for (auto work = its.initial_work_tile_info(cluster); work.is_valid(); work = get<0>(its.fetch_next_work(work))) {
      const int first = its.get_work_k_tile_start(work), count = its.get_work_k_tile_count(work, problem, tile());
      for (int step = first; step < first + count && its.valid_warpgroup_in_work_tile(work); ++step)
        log.take(step < steps && work.L_idx < l ? work.L_idx * steps + step : -1, work.M_idx, work.N_idx);
      if (its.compute_epilogue(work, params)) log.take(l * steps + work.L_idx, work.M_idx, work.N_idx);
    }
  };
  const auto blocks = Scheduler::get_grid_shape(params, problem, tile(), cluster, {0, processors}, by);
  simt::launch(blocks, 1, kernel, dim3(size<0>(cluster), size<1>(cluster)));
  all.add(log.report(), m, n);
}

// The sweep: swizzles, rasters, splits, ways to split, ways to sum.
void over(tally& static_ones, tally& split_ones, auto cluster) {
  using whole = PersistentTileSchedulerSm90;
  using split = PersistentTileSchedulerSm90StreamK<tile, decltype(cluster)>;
  for (int number = 0; number < 2560; ++number) {
    const whole::Arguments by{1 << (number & 3), whole::RasterOrderOptions(1 + (number >> 2 & 1))};
    check<whole>(static_ones, cluster, by);
    typename split::Arguments its;
    its.max_swizzle_size = by.max_swizzle_size, its.raster_order = by.raster_order;
    its.splits = std::array{1, 2, 3, 7}[number >> 3 & 3];
    its.decomposition_mode = DecompositionMode(number >> 5 & 3), its.reduction_mode = ReductionMode(number >> 7 & 1);
    if (split::can_implement(its)) check<split>(split_ones, cluster, its);
  }
}

int main() {
  tally whole{"CUTLASS, static"}, split{"CUTLASS, stream-K"};
  over(whole, split, Shape<_1, _1, _1>()), over(whole, split, Shape<_2, _1, _1>());
  over(whole, split, Shape<_1, _2, _1>()), over(whole, split, Shape<_2, _2, _1>());
}

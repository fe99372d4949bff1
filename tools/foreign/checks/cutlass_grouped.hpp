// What CUTLASS gives to the blocks of a grouped product, by its own code. Compile with -DNDEBUG.
#include <span>
#include <heddle/foreign.hpp>

#include <cutlass/detail/helper_macros.hpp>
#define __CUDA_ARCH__ 900
#include <cutlass/cutlass.h>
#undef __CUDA_ARCH__
#include <cutlass/gemm/group_array_problem_shape.hpp>
#include <cutlass/pipeline/pipeline.hpp>
#define __CUDA_ARCH__ 900
#include <cutlass/gemm/kernel/sm90_tile_scheduler_group.hpp>

using namespace cute;
using groups = cutlass::gemm::GroupProblemShape<Shape<int, int, int>>;
using scheduler = cutlass::gemm::kernel::detail::PersistentTileSchedulerSm90Group<groups, 2>;
struct nothing {
  void producer_acquire(nothing) {}
  void producer_commit(nothing) {}
  int index() const { return 0; }
};

template <class Cluster>
heddle::laws::taken_report taken(groups of, Cluster cluster, scheduler::Arguments by, int multiprocessors) {
  std::vector<heddle::extent> grids;  // in tiles of 128 x 128
  for (auto [m, n, k] : std::span(of.problem_shapes, of.groups())) grids.push_back(heddle::ceil_div(m, n, {128, 128}));
  heddle::laws::tile_log log(grids);
  const Shape<_128, _128, _64> tile;
  const auto params = scheduler::to_underlying_arguments(of, tile, cluster, {0, multiprocessors}, by);
  simt::launch(scheduler::get_grid_shape(params, of, tile, cluster, {0, multiprocessors}, by), 32, [&] {
    scheduler::SchedulerResponse response[2];
    scheduler tiles(params, response);
    nothing none;
    auto work = tiles.initial_work_tile_info(cluster);
    for (; work.is_valid(); work = get<0>(tiles.advance_to_next_work(none, none))) {
      if (threadIdx.x == 0) log.take(work.L_idx, work.M_idx, work.N_idx);
    }
  });
  return log.report();
}

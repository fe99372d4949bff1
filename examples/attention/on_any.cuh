#pragma once

#include "checks.hpp"
#include "hopper/kernel.cuh"
#include "mma.cuh"
#include "tiles.hpp"

namespace attention {

/// The portable kernel as a value, for any scheduler over `tiles(problem)`, or over `grouped{groups(problem), …}` for
/// packed sequences, behind a preparation of that order.
template <class Element, int Width>
struct on_any : tiles_of_queries<mma_shape::tile_queries> {
  static_assert(Width == 64 || Width == 128);

  /// Returns the launch of a scheduler over tiles.
  template <class Scheduler>
  auto grid(const Scheduler& scheduler) const {
    return kernel<Scheduler>().grid(scheduler);
  }

  /// Enqueues a pass in a launch that `grid` made.
  template <class Launch, class Scheduler>
  [[nodiscard]] cudaError_t launch(const Launch& grid, const Scheduler& scheduler, const problem& p, const operands& o,
                                   cudaStream_t stream) const {
    check(p, o, Width, is_packed<Scheduler>);
    return kernel<Scheduler>().launch(grid, stream, scheduler, make_arguments(p, o, is_packed<Scheduler>));
  }

  /// Returns the kernel for a type of scheduler.
  template <class Scheduler>
  static constexpr auto kernel() {
    return hopper::kernel{attend_mma<Element, Width, Scheduler>, mma_shape::threads,
                          sizeof(mma_smem<Width, Scheduler>)};
  }
};

}  // namespace attention

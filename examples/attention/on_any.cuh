#pragma once

#include "checks.hpp"
#include "hopper/kernel.cuh"
#include "mma.cuh"

namespace attention {

/// The portable kernel as a value, for any scheduler over `tiles(problem)`, or over `grouped{groups(problem), …}` for
/// packed sequences, behind a preparation of that order.
template <class Element, int Width>
struct on_any {
  static_assert(Width == 64 || Width == 128);

  /// Returns the tiles of sequences of the same lengths: a row per tile of queries, a column per head.
  static heddle::extent tiles(const problem& p) {
    return {(p.queries + mma_shape::tile_queries - 1) / mma_shape::tile_queries, p.heads * p.sequences};
  }
  /// Returns the groups of packed sequences: a column per head.
  static heddle::group_shape groups(const problem& p) {
    return {p.queries, p.sequences, mma_shape::tile_queries, p.heads};
  }

  /// Returns the launch of a scheduler over tiles.
  template <class Scheduler>
  heddle::launch_config grid(const Scheduler& scheduler) const {
    return kernel<Scheduler>().grid(scheduler);
  }

  /// Enqueues a pass in a launch that `grid` made.
  template <class Scheduler>
  [[nodiscard]] cudaError_t launch(const heddle::launch_config& grid, const Scheduler& scheduler, const problem& p,
                                   const operands& o, cudaStream_t stream) const {
    constexpr bool is_packed = std::is_same_v<decltype(scheduler.order()(0)), heddle::group_coord>;
    check(p, o, Width, is_packed);
    constexpr float log2_of_e = 1.44269504f;
    return kernel<Scheduler>().launch(
        grid, stream, scheduler,
        {o.q, o.k, o.v, o.o, o.lse, o.key_offsets, is_packed ? p.queries : p.queries * p.sequences,
         static_cast<int>(p.queries), static_cast<int>(p.keys), static_cast<int>(p.heads),
         static_cast<int>(p.key_heads), p.scale * log2_of_e, p.left, p.right});
  }

  /// Returns the kernel for a type of scheduler.
  template <class Scheduler>
  static constexpr auto kernel() {
    return hopper::kernel{attend_mma<Element, Width, Scheduler>, mma_shape::threads,
                          sizeof(mma_smem<Width, Scheduler>)};
  }
};

}  // namespace attention

#pragma once

#include "checks.hpp"
#include "hopper/kernel.cuh"
#include "hopper/tensor_map.cuh"
#include "tiles.hpp"
#include "wgmma.cuh"

namespace attention {

/// The kernel for Hopper as a value, for any scheduler over `tiles(problem)`, or over `grouped{groups(problem), …}` for
/// packed sequences, behind a preparation of that order.
template <class Element, int Width, class Shape = wgmma_shape<Width>>
struct on_hopper : tiles_of_queries<Shape::tile_queries> {
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
    const long long copies = is_packed<Scheduler> ? 1 : p.sequences;
    const auto map_of = [](const void* memory, long long tokens, long long heads, int rows) {
      if (tokens == 0) return hopper::tensor_map{{}, cudaSuccess};  // of which no box is copied
      return hopper::make_ragged_map<Element>(memory, tokens, heads * Width, {rows, 64});
    };
    const hopper::tensor_map maps[] = {map_of(o.q, p.queries * copies, p.heads, Shape::tile_queries),
                                       map_of(o.k, p.keys * copies, p.key_heads, Shape::tile_keys),
                                       map_of(o.v, p.keys * copies, p.key_heads, Shape::tile_keys),
                                       map_of(o.o, p.queries * copies, p.heads, 16)};
    for (const hopper::tensor_map& each : maps) {
      if (each.error != cudaSuccess) return each.error;
    }
    return kernel<Scheduler>().launch(
        grid, stream, scheduler,
        {maps[0].map, maps[1].map, maps[2].map, maps[3].map, make_arguments(p, o, is_packed<Scheduler>)});
  }

  /// Returns the kernel for a type of scheduler.
  template <class Scheduler>
  static constexpr auto kernel() {
    return hopper::kernel{attend_wgmma<Shape, Element, Scheduler>, Shape::threads,
                          sizeof(wgmma_memory<Shape, Scheduler>)};
  }
};

}  // namespace attention

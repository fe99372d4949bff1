#pragma once

#include <heddle/order/morton.hpp>

#include "film.hpp"
#include "journey.hpp"
#include "shade.hpp"

namespace path_tracer {

using word = unsigned long long;

// Threads per block, and blocks per multiprocessor (for __launch_bounds__): more blocks leave fewer registers per
// thread. H200: the modes that sort wait for memory and gain by more blocks; the others are within 3 % with 8 and 12.
inline constexpr int threads = 128, blocks_of_each = 10, blocks_of_shade = 10, blocks_of_follow = 8;
inline constexpr unsigned threads_of_block = 384, blocks_of_block = 4;

/// What all threads of a render share. Paths are numbered pass by pass: all pixels once, then all of them again.
struct job {
  scene in;
  film out;
  heddle::morton pixels;  // so that camera rays of a warp go through neighbouring pixels
  int width, height;
  word paths;
  word* next_path;  // the number of the next path to begin
  word* rays;       // followed so far

  __device__ path begin(word number) const {
    const auto size = static_cast<word>(pixels.size());
    const auto [row, col] = pixels(static_cast<int>(number % size));
    return begun(in, col, row, width, height, static_cast<unsigned>(number / size));
  }

  __device__ void end(const path& of) const {
    out.expose(of.pixel, of.light, [](film::sum* sum, film::sum value) { atomicAdd(sum, value); });
  }

  /// Returns the number of a path that has not begun; from `paths` on there is none. Threads of a warp that call it
  /// together share one atomic addition.
  __device__ word take() const {
    const unsigned lanes = __activemask(), lane = threadIdx.x % 32;
    const int first = __ffs(static_cast<int>(lanes)) - 1;
    word number = 0;
    if (static_cast<int>(lane) == first) number = atomicAdd(next_path, static_cast<word>(__popc(lanes)));
    number = __shfl_sync(lanes, number, first);
    return number + static_cast<unsigned>(__popc(lanes & ((1u << lane) - 1)));
  }

  __device__ void count(unsigned rays_of_thread) const {
    const unsigned all_of_warp = __reduce_add_sync(~0u, rays_of_thread);
    if (threadIdx.x % 32 == 0 && all_of_warp > 0) atomicAdd(rays, static_cast<word>(all_of_warp));
  }
};

/// Advances the walks of a warp by nodes or by triangles, whichever more lanes are at. Returns how many lanes were at
/// either.
__device__ inline int go_on(walk& way, walk::later& stack, const bvh& in) {
  const int nodes = __popc(__ballot_sync(~0u, way.at_node()));
  const int triangles = __popc(__ballot_sync(~0u, way.at_triangle()));
  if (nodes >= triangles) {
    if (way.at_node()) way.pass_node(in, stack);
    if (way.at_node()) way.pass_node(in, stack);
  } else if (way.at_triangle()) {
    way.pass_triangle(in, stack);
  }
  return nodes + triangles;
}

inline constexpr int enough_arrived = 8;  // lanes that have arrived, before the warp lets them turn to something else

/// Follows the rays of a warp's paths to their ends. All lanes call it, also those without rays.
__device__ inline void travel(bool has_rays, path& of, const aim& at, const scene& in) {
  journey on;
  if (has_rays) on = journey(of, at);
  walk::later stack;
  for (int travelling; (travelling = __popc(__ballot_sync(~0u, !on.is_over()))) > 0;) {
    for (int walking = travelling; walking > 0 && travelling - walking < enough_arrived;) {
      walking = go_on(on.way, stack, in.tree);
    }
    if (!on.is_over() && on.way.has_arrived()) on.turn(of, at, in);
  }
}

}  // namespace path_tracer

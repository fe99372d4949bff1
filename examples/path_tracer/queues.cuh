#pragma once

#include <heddle/reorder/grid_queues.hpp>

#include "step.cuh"

namespace path_tracer {

using path_queues = heddle::grid_queues<static_cast<int>(kinds)>;  // by kind, that is, what they have met
using ray_queues = heddle::grid_queues<8>;                         // by the octant of the direction

/// Paths and aims in memory, and the queues of those with rays to follow.
struct traffic {
  path* paths;
  aim* aims;
  ray_queues rays;
};

/// Puts all paths into the queue of those that begin.
__global__ void fill_queues(const __grid_constant__ traffic all, const __grid_constant__ path_queues to,
                            unsigned count) {
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= count) return;
  path on{};
  on.turn_to(kind::camera);
  all.paths[number] = on;
  to.push_some(static_cast<unsigned>(on.what()), number);
}

/// First half of a turn: every queued path does a step, in rows of one key. With the gate, paths that begin in one row
/// stay in their warp, which follows their rays at once, until it pays to part them.
__global__ void __launch_bounds__(threads, blocks_of_shade)
    shade_queues(const __grid_constant__ job work, const __grid_constant__ traffic all,
                 const __grid_constant__ path_queues from, const __grid_constant__ path_queues to, bool gate) {
  __shared__ heddle::static_shared<path_queues::storage> smem;
  const float clocks = work.in.instructions_of_visit * clocks_of_instruction;
  unsigned rays = 0;
  for (const auto [key, number, active] : from.rows(smem)) {
    path on{};
    if (active) on = all.paths[number];
    bool has_path = active, together = gate && key == static_cast<unsigned>(kind::camera);
    aim at_lamp;
    next does = next::none;
    do {
      at_lamp = {};
      does = next::none;
      if (has_path) {
        do does = step(on, at_lamp, work);
        while (together && does == next::key);
      }
      has_path = does != next::none;
      if (!together) break;
      follow(does == next::rays, on, at_lamp, work, rays);
      does = next::key;
      together = !pays_to_part(has_path, on, clocks);
    } while (together && __any_sync(~0u, has_path));
    if (!has_path) continue;
    all.paths[number] = on;
    if (does == next::key) {
      to.push_some(static_cast<unsigned>(on.what()), number);
    } else {
      all.aims[number] = at_lamp;
      all.rays.push_some(octant_of(on.direction), number);
    }
  }
  __syncwarp();
  work.count(rays);
}

/// Second half of a turn: every path with rays follows them. Once `enough_arrived` lanes have arrived they take other
/// paths, and do not wait for lanes that have farther to go.
__global__ void __launch_bounds__(threads, blocks_of_follow)
    follow_rays(const __grid_constant__ job work, const __grid_constant__ traffic all,
                const __grid_constant__ path_queues to) {
  __shared__ heddle::static_shared<ray_queues::storage> smem;
  auto row = all.rays.rows(smem);
  const unsigned below = (1u << threadIdx.x % 32) - 1;
  unsigned used = 0, number = 0, rays = 0;  // used: paths taken from the row
  journey on;
  walk::later stack;
  while (true) {
    for (unsigned idle; row && (idle = __ballot_sync(~0u, on.is_over())) != 0;) {
      const heddle::queued_value here = *row;
      const auto count = static_cast<unsigned>(__popc(__ballot_sync(~0u, here.active)));
      const unsigned at = used + static_cast<unsigned>(__popc(idle & below));
      const unsigned taken = __shfl_sync(~0u, here.value, static_cast<int>(at & 31));
      if (on.is_over() && at < count) {
        number = taken;
        on = journey(all.paths[number], all.aims[number]);
      }
      used += static_cast<unsigned>(__popc(idle));
      if (used < count) break;
      ++row;
      used = 0;
    }
    const int travelling = __popc(__ballot_sync(~0u, !on.is_over()));
    if (travelling == 0) break;
    for (int walking = travelling; walking > 0 && travelling - walking < enough_arrived;) {
      walking = go_on(on.way, stack, work.in.tree);
    }
    if (on.is_over() || !on.way.has_arrived()) continue;
    path& of = all.paths[number];
    on.turn(of, all.aims[number], work.in);
    if (!on.is_over()) continue;
    if (of.ends()) {
      work.end(of);
      of.turn_to(kind::camera);
    } else {
      ++rays;
    }
    to.push_some(static_cast<unsigned>(of.what()), number);
  }
  work.count(rays);
}

}  // namespace path_tracer

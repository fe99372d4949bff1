#pragma once

#include <heddle/order/morton.hpp>
#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>
#include <heddle/reorder/grid_queues.hpp>

#include "film.hpp"
#include "path.hpp"

// The modes as kernels. All of them do the same with each path: what differs is which thread does it, and beside whom.

namespace path_tracer {

using word = unsigned long long;

// How many blocks of a kernel a multiprocessor is to hold: more of them leave fewer registers to a thread.
inline constexpr int threads = 128, blocks_of_each = 10, blocks_of_shade = 10, blocks_of_follow = 8;
inline constexpr int threads_of_block = 384, blocks_of_block = 4;

/// What all threads share: paths are numbered, first those of all pixels once, then all of them again.
struct job {
  scene in;
  film out;
  heddle::morton pixels;  // so that camera rays of a warp go through pixels that are near each other
  int width, height;
  word paths;
  word* next_path;  // to begin
  word* rays;

  __device__ path begin(word number) const {
    const auto size = static_cast<word>(pixels.size());
    const auto [row, col] = pixels(static_cast<int>(number % size));
    return begun(in, col, row, width, height, static_cast<unsigned>(number / size));
  }

  __device__ void end(const path& of) const {
    out.expose(of.pixel, of.light, [](film::sum* sum, film::sum value) { atomicAdd(sum, value); });
  }

  /// The number of a path that nobody has begun, or of none. Threads that come together share an addition.
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

/// A step of the walks of a warp: nodes, or triangles, of which more lanes have one. Returns how many had either.
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

inline constexpr int enough_arrived = 8;  // lanes, before the others wait for them to turn to something else

/// For a warp together, whoever of it has rays: to the end of their ways.
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

/// A thread a path.
__global__ void __launch_bounds__(threads, blocks_of_each) trace_each(const __grid_constant__ job work) {
  const word number = word{blockIdx.x} * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) atomicAdd(work.next_path, word{blockDim.x});  // for those who watch
  unsigned rays = 0;
  bool alive = number < work.paths;
  path on;
  aim at_lamp;
  if (alive) on = work.begin(number);
  while (__ballot_sync(~0u, alive) != 0) {
    travel(alive, on, at_lamp, work.in);
    at_lamp = {};
    if (!alive) continue;
    rays += !on.ends();
    alive = !on.ends() && bounce(on, work.in, at_lamp);
    if (!alive) work.end(on);
  }
  work.count(rays);
}

/// Threads that stay, and begin another path when theirs has ended.
__global__ void __launch_bounds__(threads, blocks_of_each) trace_persistent(const __grid_constant__ job work) {
  unsigned rays = 0;
  path on;
  bool alive = false, more = true;
  while (true) {
    aim at_lamp;
    if (alive) {
      alive = bounce(on, work.in, at_lamp);
      if (!alive) work.end(on);
    }
    if (!alive && more) {
      const word number = work.take();
      more = number < work.paths;
      if (more) on = work.begin(number);
      alive = more;
    }
    if (__ballot_sync(~0u, alive) == 0) break;
    travel(alive, on, at_lamp, work.in);
    if (!alive) continue;
    rays += !on.ends();
    alive = !on.ends();
    if (!alive) work.end(on);
  }
  work.count(rays);
}

/// What a path does next in modes that sort.
enum class next { none, key, rays };

/// When its turn comes: until it has rays to follow, or another key, or there is nothing left to do.
__device__ inline next step(path& on, aim& at_lamp, const job& work) {
  switch (on.what()) {
    case kind::camera: {
      const word number = work.take();
      if (number >= work.paths) return next::none;
      on = work.begin(number);
      return next::rays;
    }
    case kind::smoke:
      if (!pass(on, work.in, at_lamp)) return next::key;  // what is behind the smoke
      break;
    default:
      shade(on, work.in, at_lamp);
  }
  if (!on.ends() || at_lamp.distance > 0) return next::rays;
  work.end(on);
  on.is_to(kind::camera, 0);
  return next::key;
}

/// For a warp together: the rays of those who have some, in place. Who has come to its end is to begin again.
__device__ inline void follow(bool has_rays, path& on, const aim& at_lamp, const job& work, unsigned& rays) {
  travel(has_rays, on, at_lamp, work.in);
  if (!has_rays) return;
  rays += !on.ends();
  if (!on.ends()) return;
  work.end(on);
  on.is_to(kind::camera, 0);
}

// What a multiprocessor spends for an instruction of a warp, in clocks: it issues two a clock or so.
inline constexpr float clocks_of_instruction = 0.5f;

/// Paths change places within a block. Where that does not pay, nobody asks again for a while.
template <int Threads>
__global__ void __launch_bounds__(Threads, blocks_of_block) trace_block(const __grid_constant__ job work, bool gate) {
  using reorder = heddle::block_reorder<Threads, 4>;
  using exchange = heddle::block_exchange<path, Threads, 4 * Threads * 20>;
  constexpr int longest_pause = 32;
  // Before it sorts a block waits for its slowest warp. H200: where no visit costs much, sorting before each bounce
  // takes a block of 256 some 16000 clocks longer; most of that comes back where rays are then alike.
  constexpr heddle::coherence::cost of_block{.of_exchange = 20.f * Threads, .of_word = 12};
  __shared__ typename reorder::storage ranks;
  __shared__ typename exchange::storage states;
  reorder by_kind(ranks);
  unsigned rays = 0;
  path on{};
  on.is_to(kind::camera, 0);
  bool has_path = true;
  const float clocks = work.in.instructions_of_visit * clocks_of_instruction;
  for (int pause = 1, wait = 0;;) {
    bool alone = wait > 0;
    if (alone) {
      --wait;
    } else {
      const auto [rank, active, how] = by_kind.rank(static_cast<unsigned>(on.what()), has_path);
      if (active == 0) break;
      if (!gate || how.pays(clocks, exchange::words, of_block)) {
        on = exchange(states).to(on, rank);
        has_path = threadIdx.x < active;
        pause = 1;
      } else {
        alone = true;
        wait = pause;
        pause = pause < longest_pause ? 2 * pause : longest_pause;
      }
    }
    aim at_lamp;
    next does = next::none;
    if (has_path) {
      do does = step(on, at_lamp, work);
      while (alone && does == next::key);  // for which it would wait for nobody
    }
    has_path = does != next::none;
    follow(does == next::rays, on, at_lamp, work, rays);
  }
  work.count(rays);
}

using path_queues = heddle::grid_queues<static_cast<int>(kinds)>;  // by what they meet
using ray_queues = heddle::grid_queues<8>;                         // by the octant of their direction

/// Paths in memory, and the queues that they are in.
struct traffic {
  path* paths;
  aim* aims;
  ray_queues rays;
};

/// At first all paths are to begin.
__global__ void fill_queues(const __grid_constant__ traffic all, const __grid_constant__ path_queues to,
                            unsigned count) {
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= count) return;
  path on{};
  on.is_to(kind::camera, 0);
  all.paths[number] = on;
  to.push_some(static_cast<unsigned>(on.what()), number);
}

/// Whether the paths of a warp had better be parted, by how many kinds they are to. A visit counts as much of it as
/// lanes are idle in it. Few paths part in any case: a turn would wait for them.
__device__ inline bool pays_to_part(bool has_path, const path& on, float clocks_of_visit) {
  constexpr int enough_paths = 24;
  constexpr heddle::coherence::cost of_way{.of_exchange = 800, .of_word = 0};  // to memory and back, for a warp
  const unsigned paths = __ballot_sync(~0u, has_path);
  const bool goes_on = has_path && on.what() != kind::camera;
  const unsigned going = __ballot_sync(~0u, goes_on), own = goes_on ? static_cast<unsigned>(on.what()) : kinds;
  const unsigned peers = __match_any_sync(~0u, own);
  const bool first = goes_on && static_cast<int>(threadIdx.x % 32) == __ffs(static_cast<int>(peers)) - 1;
  const auto visits = static_cast<unsigned>(__popc(__ballot_sync(~0u, first)));
  const auto lanes = static_cast<unsigned>(__popc(going));
  return __popc(paths) < enough_paths ||
         heddle::coherence{32 * visits, 1, 32 * lanes}.pays(clocks_of_visit / 32, 0, of_way);
}

/// First half of a turn: every path that is in a queue does a step, a row of one key together. With the gate, paths
/// that begin together stay together, and follow their rays at once, until it pays to part them.
__global__ void __launch_bounds__(threads, blocks_of_shade)
    shade_queues(const __grid_constant__ job work, const __grid_constant__ traffic all,
                 const __grid_constant__ path_queues from, const __grid_constant__ path_queues to, bool gate) {
  __shared__ path_queues::storage smem;
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

/// Second half: every path that has rays follows them. Lanes that have arrived take another path once there are some of
/// them, and do not wait for who has farther to go.
__global__ void __launch_bounds__(threads, blocks_of_follow)
    follow_rays(const __grid_constant__ job work, const __grid_constant__ traffic all,
                const __grid_constant__ path_queues to) {
  __shared__ ray_queues::storage smem;
  auto row = all.rays.rows(smem);
  const unsigned below = (1u << threadIdx.x % 32) - 1;
  unsigned used = 0, number = 0, rays = 0;  // of the row: how many have been taken
  journey on;
  walk::later stack;
  while (true) {
    for (unsigned idle; row && (idle = __ballot_sync(~0u, on.is_over())) != 0;) {
      const heddle::queued here = *row;
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
      of.is_to(kind::camera, 0);
    } else {
      ++rays;
    }
    to.push_some(static_cast<unsigned>(of.what()), number);
  }
  work.count(rays);
}

}  // namespace path_tracer

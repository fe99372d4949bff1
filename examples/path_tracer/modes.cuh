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

/// One bounce of a path that has met something: false if it has ended.
__device__ inline bool bounce(path& on, const scene& in) {
  bool ends = false;
  if (on.what() == kind::smoke && pass(on, in, ends)) return !ends;
  return shade(on, in);
}

/// A thread a path.
__global__ void __launch_bounds__(128, 4) trace_each(const __grid_constant__ job work) {
  const word number = word{blockIdx.x} * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) atomicAdd(work.next_path, word{blockDim.x});  // for those who watch
  unsigned rays = 0;
  if (number < work.paths) {
    path on = work.begin(number);
    do {
      extend(on, work.in);
      ++rays;
    } while (bounce(on, work.in));
    work.end(on);
  }
  __syncwarp();
  work.count(rays);
}

/// Threads that stay, and begin another path when theirs has ended.
__global__ void __launch_bounds__(128, 4) trace_persistent(const __grid_constant__ job work) {
  unsigned rays = 0;
  path on;
  bool alive = false;
  while (true) {
    if (!alive) {
      const word number = work.take();
      if (number >= work.paths) break;
      on = work.begin(number);
    }
    extend(on, work.in);
    ++rays;
    alive = bounce(on, work.in);
    if (!alive) work.end(on);
  }
  __syncwarp();
  work.count(rays);
}

/// What is done with a path when its turn comes, in modes that sort: until it has a key again. False if there is
/// nothing left to do.
__device__ inline bool step(path& on, const job& work, unsigned& rays) {
  bool alive = true;
  switch (on.what()) {
    case kind::camera: {
      const word number = work.take();
      if (number >= work.paths) return false;
      on = work.begin(number);
      break;
    }
    case kind::smoke: {
      bool ends = false;
      if (!pass(on, work.in, ends)) return true;  // to what is behind the smoke: another key
      alive = !ends;
      break;
    }
    default:
      alive = shade(on, work.in);
  }
  if (!alive) {
    work.end(on);
    on.is_to(kind::camera, 0);
    return true;
  }
  extend(on, work.in);
  ++rays;
  return true;
}

// What a multiprocessor spends for an instruction of a warp, in clocks: it issues two a clock or so.
inline constexpr float clocks_of_instruction = 0.5f;

/// Paths change places within a block. Where that does not pay, nobody asks again for a while.
template <int Threads>
__global__ void __launch_bounds__(Threads, 512 / Threads) trace_block(const __grid_constant__ job work, bool gate) {
  using reorder = heddle::block_reorder<Threads, 4>;
  using exchange = heddle::block_exchange<path, Threads, 4 * Threads * 20>;
  constexpr int longest_pause = 64;
  __shared__ typename reorder::storage ranks;
  __shared__ typename exchange::storage states;
  reorder by_kind(ranks);
  unsigned rays = 0;
  path on{};
  on.is_to(kind::camera, 0);
  bool has_path = true;
  const float clocks = work.in.instructions_of_visit * clocks_of_instruction;
  for (int pause = 1, wait = 0;;) {
    if (wait > 0) {
      --wait;
    } else {
      const auto [rank, active, how] = by_kind.rank(static_cast<unsigned>(on.what()), has_path);
      if (active == 0) break;
      if (!gate || how.pays(clocks, exchange::words)) {
        on = exchange(states).to(on, rank);
        has_path = threadIdx.x < active;
        pause = 1;
      } else {
        wait = pause;
        pause = pause < longest_pause ? 2 * pause : longest_pause;
      }
    }
    if (has_path) has_path = step(on, work, rays);
  }
  work.count(rays);
}

inline constexpr int queue_keys = static_cast<int>(kinds) * 8;
using path_queues = heddle::grid_queues<queue_keys>;

/// At first all paths are to begin.
__global__ void fill_queues(const __grid_constant__ path_queues to, path* paths, unsigned count) {
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= count) return;
  path on{};
  on.is_to(kind::camera, 0);
  paths[number] = on;
  to.push_some(on.key(), number);
}

/// One turn: every path that is in a queue does a step, and goes to another queue. Where its warp stays together, or
/// what it does next is cheap, it goes on at once.
__global__ void __launch_bounds__(128, 4)
    trace_queues(const __grid_constant__ job work, const __grid_constant__ path_queues from,
                 const __grid_constant__ path_queues to, path* paths, bool gate) {
  __shared__ path_queues::storage smem;
  const float clocks = work.in.instructions_of_visit * clocks_of_instruction;
  // To memory and back, and an addition for each key: a row of the next turn waits for it.
  constexpr heddle::coherence::cost way{.of_exchange = 400, .of_word = 8};
  unsigned rays = 0;
  for (const auto [key, number, active] : from.rows(smem)) {
    path on{};
    if (active) on = paths[number];
    bool has_path = active, stays = gate;
    do {
      if (has_path) has_path = step(on, work, rays);
      const unsigned left = __ballot_sync(~0u, has_path);
      if (left == 0) break;
      const unsigned kind_or_none = has_path ? static_cast<unsigned>(on.what()) : kinds;
      const unsigned peers = __match_any_sync(~0u, kind_or_none);
      const bool first = has_path && static_cast<int>(threadIdx.x % 32) == __ffs(static_cast<int>(peers)) - 1;
      const auto visits = static_cast<unsigned>(__popc(__ballot_sync(~0u, first)));
      const heddle::coherence how{visits, 1, static_cast<unsigned>(__popc(left))};
      stays = gate && !how.pays(clocks, sizeof(path) / 4, way);
    } while (stays);
    if (!has_path) continue;
    paths[number] = on;
    to.push_some(on.key(), number);
  }
  __syncwarp();
  work.count(rays);
}

}  // namespace path_tracer

#pragma once

#include <heddle/reorder/coherence.hpp>

#include "job.cuh"

// What the modes have in common that sort: a step of a path, and whether it pays.

namespace path_tracer {

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
  on.turn_to(kind::camera);
  return next::key;
}

/// For a warp together: the rays of those who have some, in place. Who has come to its end is to begin again.
__device__ inline void follow(bool has_rays, path& on, const aim& at_lamp, const job& work, unsigned& rays) {
  travel(has_rays, on, at_lamp, work.in);
  if (!has_rays) return;
  rays += !on.ends();
  if (!on.ends()) return;
  work.end(on);
  on.turn_to(kind::camera);
}

// What a multiprocessor spends for an instruction of a warp, in clocks: it issues two a clock or so.
inline constexpr float clocks_of_instruction = 0.5f;

// What it spends to bring paths together: before it sorts, a block waits for its slowest warp, and a path of the queues
// goes to memory and back. H200: where no visit costs much these take a block some 60 clocks a thread longer, and a
// warp 2400. A third is what the gate counts: with all of it, blocks took the terrace in 139 ms and not in 126.
__host__ __device__ constexpr heddle::coherence::cost of_block(unsigned warps) {
  const float of_warp = 1 / static_cast<float>(warps > 0 ? warps : 1);
  return {.of_exchange = 20 * threads_of_block * of_warp, .of_word = 12 * of_warp};
}
__host__ __device__ constexpr heddle::coherence::cost of_way(unsigned lanes) {
  return {.of_exchange = 800 / static_cast<float>(lanes > 0 ? lanes : 1), .of_word = 0};
}

/// Whether it could pay in a scene at all, for a warp in which lanes are to every kind that there is. Where it could
/// not, the gate is closed before the launch.
inline bool could_pay_for_blocks(const scene& in) {
  const heddle::coherence most{threads_of_block / 32 * in.kinds_there, in.kinds_there, threads_of_block};
  return most.pays(in.instructions_of_visit * clocks_of_instruction, sizeof(path) / 4, of_block(most.warps()));
}
inline bool could_pay_for_queues(const scene& in) {
  const heddle::coherence most{32 * in.kinds_there, 1, 32 * 32};
  return most.pays(in.instructions_of_visit * clocks_of_instruction / 32, 0, of_way(32));
}

/// Whether the paths of a warp had better be parted, by how many kinds they are to. A visit counts as much of it as
/// lanes are idle in it. Few paths part in any case: a turn would wait for them.
__device__ inline bool pays_to_part(bool has_path, const path& on, float clocks_of_visit) {
  constexpr int enough_paths = 24;
  const unsigned paths = __ballot_sync(~0u, has_path);
  const bool goes_on = has_path && on.what() != kind::camera;
  const unsigned going = __ballot_sync(~0u, goes_on), own = goes_on ? static_cast<unsigned>(on.what()) : kinds;
  const unsigned peers = __match_any_sync(~0u, own);
  const bool first = goes_on && static_cast<int>(threadIdx.x % 32) == __ffs(static_cast<int>(peers)) - 1;
  const auto visits = static_cast<unsigned>(__popc(__ballot_sync(~0u, first)));
  const auto lanes = static_cast<unsigned>(__popc(going));
  return __popc(paths) < enough_paths ||
         heddle::coherence{32 * visits, 1, 32 * lanes}.pays(clocks_of_visit / 32, 0, of_way(lanes));
}

}  // namespace path_tracer

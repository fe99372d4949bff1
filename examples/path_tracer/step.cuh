#pragma once

#include <heddle/reorder/coherence.hpp>

#include "job.cuh"

// Shared by the modes that sort: a step of a path, and whether sorting pays.

namespace path_tracer {

/// What a path does after a step, in modes that sort: nothing, since no path is left; a step of another key; or rays.
enum class next { none, key, rays };

/// Does one step of a path. Returns what comes next.
__device__ inline next step(path& on, aim& at_lamp, const job& work) {
  switch (on.what()) {
    case kind::camera: {
      const word number = work.take();
      if (number >= work.paths) return next::none;
      on = work.begin(number);
      return next::rays;
    }
    case kind::smoke:
      if (!pass(on, work.in, at_lamp)) return next::key;  // of what it meets after the smoke
      break;
    default:
      shade(on, work.in, at_lamp);
  }
  if (!on.ends() || at_lamp.distance > 0) return next::rays;
  work.end(on);
  on.turn_to(kind::camera);
  return next::key;
}

/// Does a step as the modes without sorting do it: a path that comes through smoke joins those at surfaces, and where
/// one ends another begins. Returns whether there are rays.
__device__ inline bool step_on(path& on, aim& at_lamp, const job& work) {
  if (on.what() != kind::camera) {
    if (bounce(on, work.in, at_lamp)) return true;
    work.end(on);
    on.turn_to(kind::camera);
  }
  const word number = work.take();
  if (number >= work.paths) return false;
  on = work.begin(number);
  return true;
}

/// Follows the rays of a warp's paths in place; all lanes call it. A path that has ended turns to `camera`.
__device__ inline void follow(bool has_rays, path& on, const aim& at_lamp, const job& work, unsigned& rays) {
  travel(has_rays, on, at_lamp, work.in);
  if (!has_rays) return;
  rays += !on.ends();
  if (!on.ends()) return;
  work.end(on);
  on.turn_to(kind::camera);
}

// Clocks of a multiprocessor per instruction of a warp: it issues about two per clock.
inline constexpr float clocks_of_instruction = 0.5f;

// Clocks of a multiprocessor to bring paths together: a block waits for its slowest warp before it sorts, and a queued
// path goes to memory and back. H200: in a scene of cheap visits this took about 60 clocks per thread of a block, and
// 2400 per warp in queues. The gate counts a third: with the whole cost, blocks took 139 ms for the terrace, not 126.
// It asks soon again: with the price of a question in full, blocks took 130 ms.
__host__ __device__ constexpr heddle::coherence::cost of_block(unsigned warps) {
  const float of_warp = 1 / static_cast<float>(warps > 0 ? warps : 1);
  return {.of_rank = 0, .of_exchange = 20 * threads_of_block * of_warp, .of_word = 12 * of_warp, .of_question = 4};
}
__host__ __device__ constexpr heddle::coherence::cost of_way(unsigned lanes) {
  return {.of_rank = 0, .of_exchange = 800 / static_cast<float>(lanes > 0 ? lanes : 1), .of_word = 0};
}

/// Returns whether sorting could pay in a scene, for warps that meet every kind in it. If not, the plain kernel runs.
inline bool could_pay_for_blocks(const scene& in) {
  const heddle::coherence most{threads_of_block / 32 * in.kinds_there, in.kinds_there, threads_of_block};
  return most.pays(in.instructions_of_visit * clocks_of_instruction, sizeof(path) / 4, of_block(most.warps()));
}
inline bool could_pay_for_queues(const scene& in) {
  const heddle::coherence most{32 * in.kinds_there, 1, 32 * 32};
  return most.pays(in.instructions_of_visit * clocks_of_instruction / 32, 0, of_way(32));
}

/// Returns whether a warp should part its paths, by how many kinds they have met. A visit counts in proportion to its
/// idle lanes. A warp with few paths always parts them, since the turn would wait for it.
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

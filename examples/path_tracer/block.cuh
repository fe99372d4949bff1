#pragma once

#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>

#include "step.cuh"

namespace path_tracer {

/// Paths change places within a block. If that does not pay, the block asks again after a pause.
__global__ void __launch_bounds__(threads_of_block, blocks_of_block)
    trace_block(const __grid_constant__ job work, bool gate) {
  using reorder = heddle::block_reorder<threads_of_block, 4>;
  using exchange = heddle::block_exchange<path, threads_of_block, threads_of_block * sizeof(path)>;
  constexpr int longest_pause = 32;
  __shared__ reorder::storage ranks;
  __shared__ exchange::storage states;
  reorder by_kind(ranks);
  unsigned rays = 0;
  path on{};
  on.turn_to(kind::camera);
  bool has_path = true;
  const float clocks = work.in.instructions_of_visit * clocks_of_instruction;
  for (int pause = 1, wait = 0;;) {
    bool alone = wait > 0;
    if (alone) {
      --wait;
    } else {
      const auto [rank, active, how] = by_kind.rank(static_cast<unsigned>(on.what()), has_path);
      if (active == 0) break;
      if (!gate || how.pays(clocks, exchange::words, of_block(how.warps()))) {
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
      while (alone && does == next::key);  // without an exchange there is nothing to wait for
    }
    has_path = does != next::none;
    follow(does == next::rays, on, at_lamp, work, rays);
  }
  work.count(rays);
}

}  // namespace path_tracer

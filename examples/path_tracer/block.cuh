#pragma once

#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>

#include "step.cuh"

namespace path_tracer {

/// Paths change places within a block: while that pays, or without the gate always.
template <bool Gate>
__global__ void __launch_bounds__(threads_of_block, blocks_of_block) trace_block(const __grid_constant__ job work) {
  using reorder = heddle::block_reorder<threads_of_block, 4>;
  using exchange = heddle::block_exchange<path, threads_of_block, threads_of_block * sizeof(path)>;
  __shared__ heddle::static_shared<reorder::storage> ranks;
  __shared__ heddle::static_shared<exchange::storage> states;
  reorder by_kind(ranks);
  unsigned rays = 0;
  path on{};
  on.turn_to(kind::camera);
  bool has_path = true;
  const float clocks = work.in.instructions_of_visit * clocks_of_instruction;
  heddle::coherence_gate gate = reorder::gate(clocks, exchange::words, of_block(threads_of_block / 32));
  for (;;) {
    const auto kind = static_cast<unsigned>(on.what());
    reorder::decision to;
    if constexpr (Gate) {
      to = by_kind.rank_if(gate, kind, has_path);
    } else {
      const auto place = by_kind.rank(kind, has_path);
      to = {true, place.rank, place.active};
    }
    if (to.active == 0) break;
    if (to.pays) {
      on = exchange(states).to(on, to.rank);
      has_path = threadIdx.x < to.active;
    }
    for (unsigned left = Gate ? gate.until(0, gate.longest_pause) : 1; left > 0; --left) {
      aim at_lamp;
      has_path = has_path && step_on(on, at_lamp, work);
      follow(has_path, on, at_lamp, work, rays);
    }
  }
  work.count(rays);
}

}  // namespace path_tracer

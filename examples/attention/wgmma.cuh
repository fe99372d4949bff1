#pragma once

#include <heddle/launch/programmatic.hpp>

#include "consumer.cuh"
#include "hopper/kernel.cuh"

// Attention, forward, on Hopper. Two warpgroups take 64 queries each of a tile of 128, and the keys that the tile sees,
// 128 at a time, from the last to the first. One thread leads the scheduler, tells both warpgroups what a tile is, and
// has its operands copied: keys and values in one ring, in the order of use, K0 K1 V0 K2 V1 ...

namespace attention {

/// The producer, which one thread runs.
template <class Shape, class Scheduler>
__device__ void produce(wgmma_memory<Shape, Scheduler>& smem, const Scheduler& scheduler, const wgmma_arguments& with) {
  constexpr int tile_queries = Shape::tile_queries, tile_keys = Shape::tile_keys, row_bytes = Shape::width * 2;
  const arguments& of = with.of;
  hopper::place<1> at_q;
  hopper::place<Shape::stages> at_kv;
  hopper::relay<told_tile>::turn turn;
  for (const auto tile : scheduler.lead(smem.scheduler)) {
    const sequence in = sequence_of(scheduler.order(), tile, of);
    const int query = tile.row * tile_queries, rows = min(tile_queries, in.queries - query);
    if (rows <= 0) continue;
    const int first = in.first_seen(query, of.left), last = in.last_seen(query + rows - 1, of.right);
    const int steps = last < first ? 0 : last / tile_keys - first / tile_keys + 1;
    const int last_key = last / tile_keys * tile_keys, x = in.head / (of.heads / of.key_heads) * Shape::width;
    const auto load = [&](const CUtensorMap& map, int step) {
      const int key = last_key - step * tile_keys;
      const hopper::ragged_rows<tile_keys> at(in.first_key + key, in.keys - key);
      smem.of_kv.fill(at_kv, tile_keys * row_bytes);
      for (int box = 0; box < Shape::boxes; ++box) {
        hopper::ptx::cp_async_bulk_tensor_load(smem.kv[at_kv.stage][box], map, x + box * 64, at.y, at.matrix,
                                               smem.of_kv.filled(at_kv));
      }
      at_kv.advance();
    };
    if (steps > 0) load(with.k, 0);  // while the last tile's queries are still in use
    smem.parts.tell(turn, {in, query, rows, last_key, steps});
    for (int number = 0; number < Shape::consumers; ++number) {
      const hopper::ragged_rows<64> at(in.first_query + query + number * 64, max(0, rows - number * 64));
      smem.of_q[number].fill(at_q, 64 * row_bytes);
      for (int box = 0; box < Shape::boxes; ++box) {
        hopper::ptx::cp_async_bulk_tensor_load(smem.q[number][box], with.q, in.head * Shape::width + box * 64, at.y,
                                               at.matrix, smem.of_q[number].filled(at_q));
      }
    }
    at_q.advance();
#pragma unroll 1
    for (int i = 1; i < 2 * steps; ++i) {  // K1 V0 K2 V1 ..., and the last two are values
      const bool are_keys = i % 2 == 1 && i + 1 < 2 * steps;
      load(are_keys ? with.k : with.v, are_keys ? (i + 1) / 2 : (i - 1) / 2);
    }
  }
  smem.parts.tell(turn, {{}, 0, 0, 0, 0});
  for (auto& each : smem.of_q) {
    each.wait_until_empty(at_q);
    hopper::ptx::mbarrier_arrive(each.filled(at_q));
  }
}

template <class Shape, class Element, class Scheduler>
__global__ void __launch_bounds__(Shape::threads, 1)
    attend_wgmma(const __grid_constant__ Scheduler scheduler, const __grid_constant__ wgmma_arguments with) {
  auto& smem = hopper::shared_memory<wgmma_memory<Shape, Scheduler>>();
  const int number = hopper::warpgroup(), thread = hopper::thread_of_warpgroup();
  if (threadIdx.x == 0) {
    for (auto& each : smem.of_q) each.init(/*fills*/ 1, /*releases*/ 1);
    smem.of_kv.init(1, Shape::consumers);
    smem.turns.init();
    smem.parts.init(/*warps*/ Shape::consumers * 4);
    hopper::ptx::fence_mbarrier_init();
    scheduler.start(smem.scheduler, /*followers*/ 0);
  }
  heddle::wait_for_launch_before();  // the preparation of an order
  hopper::sync_all<false>();
  if (number == Shape::consumers) {
    hopper::ptx::setmaxnreg_dec<40>();
    if (thread == 0) produce<Shape>(smem, scheduler, with);
  } else {
    hopper::ptx::setmaxnreg_inc<232>();
    consumer<Shape, Element, Scheduler> self(smem, with, number, thread);
    self.run();
    if (thread % 32 == 0) hopper::ptx::cp_async_bulk_wait_group_read<0>();
  }
}

}  // namespace attention

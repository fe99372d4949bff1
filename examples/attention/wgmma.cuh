#pragma once

#include <heddle/launch/programmatic.hpp>

#include "hopper/load.cuh"
#include "hopper/multiply.cuh"
#include "hopper/relay.cuh"
#include "hopper/roles.cuh"
#include "hopper/store.cuh"
#include "softmax.cuh"

// Attention, forward, on Hopper. Two warpgroups take 64 queries each of a tile of 128, and the keys that the tile sees,
// 128 at a time, from the last to the first. A step issues its scores and the sums of the step before; while these are
// summed, scores become weights, most of them while sums are multiplied by what is left of them. One thread leads the
// scheduler, tells both warpgroups what a tile is, and has its operands copied: keys and values in one ring, in the
// order of use, K0 K1 V0 K2 V1 ...

namespace attention {

template <int Width>
struct wgmma_shape {
  static constexpr int width = Width, tile_queries = 128, tile_keys = 128;
  static constexpr int consumers = tile_queries / 64, threads = 128 * (consumers + 1);
  static constexpr int boxes = Width / 64;  // of 64 elements, which are the 128 bytes of a swizzle
  static constexpr int stages = Width == 128 ? 5 : 8;
  // Weights of a thread before it waits for sums. H200, full, 16384 tokens: 3 % faster than 32, and 4 % than 48.
  static constexpr int early = 16;
};

struct wgmma_arguments {
  CUtensorMap q, k, v, o;
  arguments of;
};

/// What the warpgroups must know of a tile.
struct tile_part {
  sequence in;
  int query, rows;      // the first query, and queries; 0: there are no more tiles
  int last_key, steps;  // of the first step
};

template <class Shape, class Scheduler>
struct wgmma_memory {
  alignas(1024) unsigned char q[Shape::boxes][Shape::tile_queries * 128];
  unsigned char o[Shape::consumers * 4][Shape::boxes][hopper::staged<64>::bytes];
  unsigned char kv[Shape::stages][Shape::boxes][Shape::tile_keys * 128];
  hopper::ring<1> of_q;
  hopper::ring<Shape::stages> of_kv;
  hopper::relay<tile_part> parts;
  typename Scheduler::storage scheduler;
};

/// The producer, which one thread runs.
template <class Shape, class Scheduler>
__device__ void produce(wgmma_memory<Shape, Scheduler>& smem, const Scheduler& scheduler, const wgmma_arguments& with) {
  constexpr int tile_queries = Shape::tile_queries, tile_keys = Shape::tile_keys;
  const arguments& of = with.of;
  hopper::place<1> at_q;
  hopper::place<Shape::stages> at_kv;
  hopper::relay<tile_part>::turn turn;
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
      at.fill(smem.of_kv, at_kv, smem.kv[at_kv.stage], map, x);
    };
    if (steps > 0) load(with.k, 0);  // while the last tile's queries are still in use
    smem.parts.tell(turn, {in, query, rows, last_key, steps});
    const hopper::ragged_rows<tile_queries> at(in.first_query + query, rows);
    at.fill(smem.of_q, at_q, smem.q, with.q, in.head * Shape::width);
#pragma unroll 1
    for (int i = 1; i < 2 * steps; ++i) {  // K1 V0 K2 V1 ..., and the last two are values
      const bool are_keys = i % 2 == 1 && i + 1 < 2 * steps;
      load(are_keys ? with.k : with.v, are_keys ? (i + 1) / 2 : (i - 1) / 2);
    }
  }
  smem.of_q.wait_until_empty(at_q);
  smem.parts.tell(turn, {{}, 0, 0, 0, 0});
  hopper::ptx::mbarrier_arrive(smem.of_q.filled(at_q));
}

/// A consumer, which a warpgroup runs: 64 queries of all tiles.
template <class Shape, class Element, class Scheduler>
struct consumer {
  wgmma_memory<Shape, Scheduler>& smem;
  const wgmma_arguments& with;
  int number, thread;  // of the warpgroup, and of the thread in it
  hopper::place<1> at_q = {};
  hopper::place<Shape::stages> at_kv = {};
  hopper::relay<tile_part>::turn turn = {};

  /// Makes its rows of the next tile. Returns false if there is none.
  __device__ __forceinline__ bool make() {
    constexpr int tile_keys = Shape::tile_keys, all = tile_keys / 2;  // scores of a thread
    const arguments& of = with.of;
    const hopper::sharer by{0, thread == 0};  // one thread releases for all
    smem.of_q.wait_until_full(at_q);
    const tile_part here = smem.parts.hear(turn);
    if (here.rows == 0) return false;
    const int unmasked_from = here.in.first_seen(here.query + here.rows - 1, of.left);
    const int unmasked_to = here.in.last_seen(here.query, of.right);
    const int own_query = here.query + number * 64 + thread / 32 * 16 + thread % 32 / 4;
    float scores[1][all], sums[Shape::width / 2] = {};
    unsigned weights[tile_keys / 16][4];
    softmax rows;

    const auto multiply_scores = [&](int k) {
      hopper::ptx::wgmma_fence();
      hopper::multiply_boxes<Element>(scores, smem.q, number * 64 * 128, smem.kv[k]);
      hopper::ptx::wgmma_commit_group();
    };
    const auto multiply_weights = [&](int v, bool adds) {
      hopper::ptx::wgmma_fence();
      hopper::multiply_boxes<Element>(sums, weights, smem.kv[v], adds);
      hopper::ptx::wgmma_commit_group();
    };
    // Frees the keys of a step, and makes the first weights of its scores. Returns what earlier sums must be multiplied
    // by.
    const auto begin_weights = [&](int k, int step) {
      hopper::fence_registers(scores[0]);
      smem.of_kv.release(k, by);
      if (step + 1 == here.steps) smem.of_q.release(0, by);
      const int key = here.last_key - step * tile_keys;
      if (key < unmasked_from || key + tile_keys - 1 > unmasked_to) {
        mask(scores[0], here.in, own_query, key + thread % 4 * 2, of.left, of.right);
      }
      const float2 rest = rows.raise(scores[0], of.scale);
      rows.template weigh<0, Shape::early>(scores[0], of.scale);
      return rest;
    };

    if (here.steps == 0) {  // nothing is multiplied, and so no warp has waited for one that has not seen `of_q` full
      hopper::sync(hopper::of_warpgroup, number, 128);
      smem.of_q.release(0, by);
    } else {
      const int first = smem.of_kv.take(at_kv);
      multiply_scores(first);
      hopper::ptx::wgmma_wait_group<0>();
      begin_weights(first, 0);
      rows.template weigh<Shape::early, all>(scores[0], of.scale);
      hopper::pack_operand<Element>(weights, scores[0]);
      int k = here.steps > 1 ? smem.of_kv.take(at_kv) : 0;
      for (int step = 1; step < here.steps; ++step) {
        multiply_scores(k);
        const int v = smem.of_kv.take(at_kv);
        multiply_weights(v, step > 1);
        hopper::ptx::wgmma_wait_group<1>();
        const float2 rest = begin_weights(k, step);
        hopper::fence_registers(scores[0]);
        // The branch ends a basic block, in which ptxas would have the wait below come before all weights.
        if (step + 1 < here.steps) k = smem.of_kv.take(at_kv);
        hopper::ptx::wgmma_wait_group<0>();
        hopper::fence_registers(sums);
        hopper::fence_registers(scores[0]);  // the matrix unit had the weights up to here
        smem.of_kv.release(v, by);
        rows.template weigh<Shape::early, all>(scores[0], of.scale);
#pragma unroll
        for (int i = 0; i < Shape::width / 2; ++i) sums[i] *= i % 4 < 2 ? rest.x : rest.y;
        hopper::pack_operand<Element>(weights, scores[0]);
      }
      const int last = smem.of_kv.take(at_kv);
      multiply_weights(last, here.steps > 1);
      hopper::ptx::wgmma_wait_group<0>();
      hopper::fence_registers(sums);
      smem.of_kv.release(last, by);
    }
    at_q.advance();
    store(sums, rows, here);
    return true;
  }

  /// Stores the rows of each warp by bulk copies that end with the sequence.
  __device__ __forceinline__ void store(const float (&sums)[Shape::width / 2], const softmax& rows,
                                        const tile_part& here) {
    const int warp = thread / 32, lane = thread % 32, row = number * 64 + warp * 16, left = here.rows - row;
    const int token = here.in.first_query + here.query + row;
    const softmax::row_result of_rows[] = {rows.finish(0, with.of.scale), rows.finish(1, with.of.scale)};
    if (left <= 0) return;
    auto& boxes = smem.o[number * 4 + warp];
    if (lane == 0) hopper::ptx::cp_async_bulk_wait_group_read<0>();  // the last tile's boxes are read
    __syncwarp();
#pragma unroll
    for (int box = 0; box < Shape::boxes; ++box) {
      hopper::stage_rows<64, false>(boxes[box], lane, [&](int, int, int i) {
        const float factor = of_rows[i / 2 % 2].inverse;
        return hopper::pack<Element>(sums[box * 32 + i] * factor, sums[box * 32 + i + 1] * factor);
      });
    }
    hopper::ptx::fence_proxy_async();
    __syncwarp();
    if (lane == 0) hopper::ragged_rows<16>(token, left).store(with.o, here.in.head * Shape::width, boxes);
    for (int half = 0; half < 2; ++half) {
      const int own = lane / 4 + half * 8;
      if (with.of.lse != nullptr && lane % 4 == 0 && own < left) {
        with.of.lse[here.in.head * with.of.tokens + token + own] = of_rows[half].lse;
      }
    }
  }
};

template <class Shape, class Element, class Scheduler>
__global__ void __launch_bounds__(Shape::threads, 1)
    attend_wgmma(const __grid_constant__ Scheduler scheduler, const __grid_constant__ wgmma_arguments with) {
  auto& smem = hopper::shared_memory<wgmma_memory<Shape, Scheduler>>();
  const int number = hopper::warpgroup(), thread = hopper::thread_of_warpgroup();
  if (threadIdx.x == 0) {
    smem.of_q.init(/*fills*/ 1, /*releases*/ Shape::consumers);
    smem.of_kv.init(1, Shape::consumers);
    smem.parts.init(/*warps*/ Shape::consumers * 4);
    hopper::ptx::fence_mbarrier_init();
    scheduler.start(smem.scheduler, /*followers*/ 0);
  }
  heddle::wait_for_launch_before();  // the preparation of an order
  hopper::sync_all<false>();
  if (number == Shape::consumers) {
    hopper::ptx::setmaxnreg_dec<40>();
    if (thread == 0) produce(smem, scheduler, with);
  } else {
    hopper::ptx::setmaxnreg_inc<232>();
    consumer<Shape, Element, Scheduler> self{smem, with, number, thread};
    while (self.make()) continue;
    if (thread % 32 == 0) hopper::ptx::cp_async_bulk_wait_group_read<0>();
  }
}

}  // namespace attention

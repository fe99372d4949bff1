#pragma once

#include <heddle/launch/programmatic.hpp>

#include "hopper/kernel.cuh"
#include "hopper/load.cuh"
#include "hopper/multiply.cuh"
#include "hopper/relay.cuh"
#include "hopper/roles.cuh"
#include "hopper/store.cuh"
#include "softmax.cuh"

// Attention, forward, on Hopper. Two warpgroups take 64 queries each of a tile of 128, and the keys that the tile sees,
// 128 at a time, from the last to the first. One thread leads the scheduler, tells both warpgroups what a tile is, and
// has its operands copied: keys and values in one ring, in the order of use, K0 K1 V0 K2 V1 ...
//
// In a step a warpgroup issues the scores of this step and the sums of the step before. While these are summed it makes
// weights of the scores.

namespace attention {

template <int Width>
struct wgmma_shape {
  static constexpr int width = Width, tile_queries = 128, tile_keys = 128;
  static constexpr int consumers = tile_queries / 64, threads = 128 * (consumers + 1);
  static constexpr int boxes = Width / 64;  // of 64 elements, which are the 128 bytes of a swizzle
  static constexpr int stages = Width == 128 ? 5 : 8;
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
  constexpr int tile_queries = Shape::tile_queries, tile_keys = Shape::tile_keys, row_bytes = Shape::width * 2;
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
      smem.of_kv.fill(at_kv, tile_keys * row_bytes);
      for (int box = 0; box < Shape::boxes; ++box) {
        hopper::ptx::cp_async_bulk_tensor_load(smem.kv[at_kv.stage][box], map, x + box * 64, at.y, at.matrix,
                                               smem.of_kv.filled(at_kv));
      }
      at_kv.advance();
    };
    if (steps > 0) load(with.k, 0);  // while the last tile's queries are still in use
    smem.parts.tell(turn, {in, query, rows, last_key, steps});
    const hopper::ragged_rows<tile_queries> at(in.first_query + query, rows);
    smem.of_q.fill(at_q, tile_queries * row_bytes);
    for (int box = 0; box < Shape::boxes; ++box) {
      hopper::ptx::cp_async_bulk_tensor_load(smem.q[box], with.q, in.head * Shape::width + box * 64, at.y, at.matrix,
                                             smem.of_q.filled(at_q));
    }
    at_q.advance();
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
class consumer {
 public:
  __device__ consumer(wgmma_memory<Shape, Scheduler>& smem, const wgmma_arguments& with, int number, int thread)
      : smem_(smem), with_(with), number_(number), thread_(thread) {}

  /// Makes its rows of the next tile. Returns false if there is none.
  __device__ __forceinline__ bool make() {
    smem_.of_q.wait_until_full(at_q_);
    const tile_part here = smem_.parts.hear(at_part_);
    if (here.rows == 0) return false;
    const int unmasked_from = here.in.first_seen(here.query + here.rows - 1, with_.of.left);
    const int unmasked_to = here.in.last_seen(here.query, with_.of.right);
    const int own_query = here.query + number_ * 64 + thread_ / 32 * 16 + thread_ % 32 / 4;
    float scores[1][Shape::tile_keys / 2], sums[Shape::width / 2] = {};
    unsigned weights[Shape::tile_keys / 16][4];
    softmax rows;

    const auto weigh = [&](int step) {
      const int key = here.last_key - step * Shape::tile_keys;
      if (key < unmasked_from || key + Shape::tile_keys - 1 > unmasked_to) {
        mask(scores[0], here.in, own_query, key + thread_ % 4 * 2, with_.of.left, with_.of.right);
      }
      return rows.weigh(scores[0], with_.of.scale);
    };
    const auto make_operand = [&] {
#pragma unroll
      for (int i = 0; i < Shape::tile_keys / 4; ++i) {
        weights[i / 4][i % 4] = hopper::pack<Element>(scores[0][2 * i], scores[0][2 * i + 1]);
      }
    };

    if (here.steps == 0) {  // nothing is multiplied, and so no warp has waited for one that has not seen `of_q` full
      hopper::sync(hopper::of_warpgroup, number_, 128);
      release_q();
    } else {
      const auto first = next();
      multiply_scores(scores, first);
      hopper::ptx::wgmma_wait_group<0>();
      hopper::fence_registers(scores[0]);
      release(first);
      if (here.steps == 1) release_q();
      weigh(0);
      make_operand();
      for (int step = 1; step < here.steps; ++step) {
        const auto k = next(), v = next();
        multiply_scores(scores, k);
        multiply_weights(sums, weights, v, step > 1);
        hopper::ptx::wgmma_wait_group<1>();
        hopper::fence_registers(scores[0]);
        release(k);
        if (step + 1 == here.steps) release_q();
        const float2 rest = weigh(step);
        hopper::ptx::wgmma_wait_group<0>();
        hopper::fence_registers(sums);
        hopper::fence_registers(scores[0]);  // the matrix unit had the weights up to here
        release(v);
#pragma unroll
        for (int i = 0; i < Shape::width / 2; ++i) sums[i] *= i % 4 < 2 ? rest.x : rest.y;
        make_operand();
      }
      const auto last = next();
      multiply_weights(sums, weights, last, here.steps > 1);
      hopper::ptx::wgmma_wait_group<0>();
      hopper::fence_registers(sums);
      release(last);
    }
    at_q_.advance();
    store(sums, rows, here);
    return true;
  }

 private:
  using place = hopper::place<Shape::stages>;

  /// Returns the place of the next keys or values, which are there.
  __device__ __forceinline__ place next() {
    const place now = at_kv_;
    smem_.of_kv.wait_until_full(now);
    at_kv_.advance();
    return now;
  }
  __device__ __forceinline__ void release(place of) {
    smem_.of_kv.release(of.stage, {0, thread_ == 0});
  }
  __device__ __forceinline__ void release_q() {
    smem_.of_q.release(0, {0, thread_ == 0});
  }

  __device__ __forceinline__ void multiply_scores(float (&scores)[1][Shape::tile_keys / 2], place k) {
    using hopper::major;
    hopper::ptx::wgmma_fence();
#pragma unroll
    for (int box = 0; box < Shape::boxes; ++box) {
      hopper::multiply<Element, major::k, major::k>(
          scores, hopper::operand<major::k>::matrix_at(smem_.q[box] + number_ * 64 * 128),
          hopper::operand<major::k>::matrix_at(smem_.kv[k.stage][box]), box > 0);
    }
    hopper::ptx::wgmma_commit_group();
  }

  __device__ __forceinline__ void multiply_weights(float (&sums)[Shape::width / 2],
                                                   const unsigned (&weights)[Shape::tile_keys / 16][4], place v,
                                                   bool adds) {
    using hopper::major;
    hopper::ptx::wgmma_fence();
    hopper::multiply<Element, major::mn>(
        sums, weights, hopper::operand<major::mn>::matrix_at<Shape::tile_keys>(smem_.kv[v.stage]), adds);
    hopper::ptx::wgmma_commit_group();
  }

  /// Stores the rows of each warp by bulk copies that end with the sequence.
  __device__ __forceinline__ void store(const float (&sums)[Shape::width / 2], const softmax& rows,
                                        const tile_part& here) {
    const int warp = thread_ / 32, lane = thread_ % 32, row = number_ * 64 + warp * 16, left = here.rows - row;
    const int token = here.in.first_query + here.query + row;
    softmax::row_result of_rows[2];
    for (int half = 0; half < 2; ++half) of_rows[half] = rows.finish(half, with_.of.scale);
    if (left <= 0) return;
    auto& boxes = smem_.o[number_ * 4 + warp];
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
    if (lane == 0) {
      const hopper::ragged_rows<16> at(token, left);
      for (int box = 0; box < Shape::boxes; ++box) {
        hopper::ptx::cp_async_bulk_tensor_store(with_.o, here.in.head * Shape::width + box * 64, at.y, at.matrix,
                                                boxes[box]);
      }
      hopper::ptx::cp_async_bulk_commit_group();
    }
    for (int half = 0; half < 2; ++half) {
      const int own = lane / 4 + half * 8;
      if (with_.of.lse != nullptr && lane % 4 == 0 && own < left) {
        with_.of.lse[here.in.head * with_.of.tokens + token + own] = of_rows[half].lse;
      }
    }
  }

  wgmma_memory<Shape, Scheduler>& smem_;
  const wgmma_arguments& with_;
  int number_, thread_;
  hopper::place<1> at_q_;
  place at_kv_;
  typename hopper::relay<tile_part>::turn at_part_;
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
    if (thread == 0) produce<Shape>(smem, scheduler, with);
  } else {
    hopper::ptx::setmaxnreg_inc<232>();
    consumer<Shape, Element, Scheduler> self(smem, with, number, thread);
    while (self.make()) continue;
    if (thread % 32 == 0) hopper::ptx::cp_async_bulk_wait_group_read<0>();
  }
}

}  // namespace attention

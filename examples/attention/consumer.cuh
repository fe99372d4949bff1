#pragma once

#include "hopper/multiply.cuh"
#include "hopper/store.cuh"
#include "softmax.cuh"
#include "wgmma_shape.cuh"

namespace attention {

/// A consumer, which a warpgroup runs: 64 queries of all tiles.
///
/// In a step it issues the scores of this step and the sums of the step before, and makes weights of the scores while
/// these are summed. Products are in flight from step to step and from tile to tile: conditions in between are votes,
/// of which the compiler knows that all lanes agree. Under others it would wait for each product.
template <class Shape, class Element, class Scheduler>
class consumer {
 public:
  __device__ consumer(wgmma_memory<Shape, Scheduler>& smem, const wgmma_arguments& with, int number, int thread)
      : smem_(smem), with_(with), number_(number), thread_(thread), turn_{number} {}

  /// Makes its rows of all tiles. The first scores of a tile are made under the epilogue of the tile before.
  __device__ __forceinline__ void run() {
    float scores[1][Shape::tile_keys / 2];
    for (told_tile here = begin(scores); __any_sync(~0u, here.rows > 0);) {
      const int unmasked_from = here.in.first_seen(here.query + here.rows - 1, with_.of.left);
      const int unmasked_to = here.in.last_seen(here.query, with_.of.right);
      const int own_query = here.query + number_ * 64 + thread_ / 32 * 16 + thread_ % 32 / 4;
      float sums[Shape::width / 2] = {};
      unsigned weights[Shape::tile_keys / 16][4];
      softmax rows;
      const auto weigh = [&](int step) {
        const int key = here.last_key - step * Shape::tile_keys, own_key = key + thread_ % 4 * 2;
        if (key + Shape::tile_keys - 1 > unmasked_to) {
          const int last[] = {here.in.last_seen(own_query, with_.of.right) - own_key,
                              here.in.last_seen(own_query + 8, with_.of.right) - own_key};
          mask(scores[0], [&](int col, int half) { return col > last[half]; });
        }
        if (key < unmasked_from) {
          const int first[] = {here.in.first_seen(own_query, with_.of.left) - own_key,
                               here.in.first_seen(own_query + 8, with_.of.left) - own_key};
          mask(scores[0], [&](int col, int half) { return col < first[half]; });
        }
        return rows.weigh(scores[0], with_.of.scale);
      };
      const auto make_operand = [&] {
#pragma unroll
        for (int i = 0; i < Shape::tile_keys / 4; ++i) {
          weights[i / 4][i % 4] = hopper::pack<Element>(scores[0][2 * i], scores[0][2 * i + 1]);
        }
      };

      hopper::ptx::wgmma_wait_group<0>();
      hopper::fence_registers(scores[0]);
      if (__any_sync(~0u, here.steps > 0)) {
        release(first_);
        if (here.steps == 1) release_q();
        weigh(0);
        auto ahead = next();
        make_operand();
        for (int step = 1; __any_sync(~0u, step < here.steps); ++step) {
          const auto k = ahead, v = next();
          begin_turn();
          multiply_scores(scores, k);
          multiply_weights(sums, weights, v, step > 1);
          end_turn();
          hopper::ptx::wgmma_wait_group<Shape::under_sums ? 1 : 0>();
          hopper::fence_registers(scores[0]);
          release(k);
          if (step + 1 == here.steps) release_q();
          const float2 rest = weigh(step);
          ahead = next();  // the compiler moves the next wait up to this one, and no further
          hopper::ptx::wgmma_wait_group<0>();
          hopper::fence_registers(sums);
          hopper::fence_registers(scores[0]);  // the matrix unit had the weights up to here
          release(v);
#pragma unroll
          for (int i = 0; i < Shape::width / 2; ++i) sums[i] *= i % 4 < 2 ? rest.x : rest.y;
          make_operand();
        }
        multiply_weights(sums, weights, ahead, here.steps > 1);
        const told_tile after = begin(scores);
        hopper::ptx::wgmma_wait_group<1>();
        hopper::fence_registers(sums);
        release(ahead);
        store(sums, rows, here);
        here = after;
      } else {
        release_q();
        store(sums, rows, here);
        here = begin(scores);
      }
    }
    hopper::ptx::wgmma_wait_group<0>();
    hopper::fence_registers(scores[0]);
  }

 private:
  using place = hopper::place<Shape::stages>;

  /// Returns the next tile, whose first scores it issues.
  __device__ __forceinline__ told_tile begin(float (&scores)[1][Shape::tile_keys / 2]) {
    smem_.of_q[number_].wait_until_full(at_q_);
    at_q_.advance();
    const told_tile tile = smem_.parts.hear(at_part_);
    const bool has_steps = __any_sync(~0u, tile.steps > 0);
    if (has_steps) {
      first_ = next();
      begin_turn();
    }
    multiply_scores(scores, first_);  // of nothing if there is no step: products are in flight in any case
    if (has_steps) end_turn();
    return tile;
  }

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
    smem_.of_q[number_].release(0, {0, thread_ == 0});
  }
  __device__ __forceinline__ void begin_turn() {
    if constexpr (Shape::in_turns) smem_.turns.wait(turn_);
  }
  __device__ __forceinline__ void end_turn() {
    if (Shape::in_turns && thread_ == 0) smem_.turns.pass(turn_);
  }

  __device__ __forceinline__ void multiply_scores(float (&scores)[1][Shape::tile_keys / 2], place k) {
    using hopper::major;
    hopper::ptx::wgmma_fence();
#pragma unroll
    for (int box = 0; box < Shape::boxes; ++box) {
      hopper::multiply<Element, major::k, major::k>(scores, hopper::operand<major::k>::matrix_at(smem_.q[number_][box]),
                                                    hopper::operand<major::k>::matrix_at(smem_.kv[k.stage][box]),
                                                    box > 0);
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
                                        const told_tile& here) {
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
  place at_kv_, first_;  // of all keys and values; of the first keys of a tile
  typename hopper::relay<told_tile>::turn at_part_;
  hopper::turns::place turn_;
};

}  // namespace attention

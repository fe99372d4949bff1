#pragma once

#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/order/tile_of_block.hpp>
#include <heddle/order/triangular.hpp>

#include "contest.cuh"

// Suppression of boxes: which later boxes does each box overlap? A block per 64 x 64 pairs; before, of the whole
// square.

namespace wild {

constexpr int box_tile = 64;

__device__ inline bool overlap(float4 a, float4 b) {
  const float wide = fmaxf(fminf(a.z, b.z) - fmaxf(a.x, b.x), 0), high = fmaxf(fminf(a.w, b.w) - fmaxf(a.y, b.y), 0);
  const float shared = wide * high, of_a = (a.z - a.x) * (a.w - a.y), of_b = (b.z - b.x) * (b.w - b.y);
  return shared > 0.5f * (of_a + of_b - shared);
}

__device__ inline void suppress(const float4* boxes, int count, unsigned long long* masks, heddle::coord tile) {
  __shared__ float4 others[box_tile];
  const int thread = static_cast<int>(threadIdx.x), row = tile.row * box_tile + thread;
  const int first = tile.col * box_tile, others_here = min(count - first, box_tile);
  if (thread < others_here) others[thread] = boxes[first + thread];
  __syncthreads();
  if (row >= count) return;
  const float4 mine = boxes[row];
  unsigned long long mask = 0;
  for (int i = tile.row == tile.col ? thread + 1 : 0; i < others_here; ++i) {
    if (overlap(mine, others[i])) mask |= 1ull << i;
  }
  masks[std::size_t{1} * static_cast<unsigned>(row) * static_cast<unsigned>((count - 1) / box_tile + 1) + tile.col] =
      mask;
}

__global__ __launch_bounds__(box_tile) void suppress_all(const float4* boxes, int count, unsigned long long* masks) {
  if (blockIdx.y > blockIdx.x) return;
  suppress(boxes, count, masks, {static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x)});
}
template <class Order>
__global__ __launch_bounds__(box_tile) void suppress_by(const __grid_constant__ Order order, const float4* boxes,
                                                        int count, unsigned long long* masks) {
  suppress(boxes, count, masks, heddle::tile_of_block(order));
}

__global__ void fill_boxes(float4* boxes, int count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= static_cast<unsigned>(count)) return;
  const float x = 1000 * unit(4 * i), y = 1000 * unit(4 * i + 1);
  boxes[i] = {x, y, x + 1 + 60 * unit(4 * i + 2), y + 1 + 60 * unit(4 * i + 3)};
}

inline contest of_suppression() {
  constexpr int count = 10000, tiles = (count - 1) / box_tile + 1;
  const auto boxes = make_words(4 * count), masks = make_words(std::size_t{2} * count * tiles);
  const auto from = reinterpret_cast<float4*>(boxes->data());
  const auto to = reinterpret_cast<unsigned long long*>(masks->data());
  fill_boxes<<<blocks_for(count), 256>>>(from, count);
  check(cudaGetLastError());
  return {"suppression",
          "10 000 boxes, a mask per 64 × 64 pairs",
          "triangular, pairs",
          masks,
          [=, keep = boxes] { suppress_all<<<dim3(tiles, tiles), box_tile>>>(from, count, to); },
          [=, keep = boxes] {
            const heddle::triangle pairs = heddle::triangle::pairs(count, box_tile);
            const heddle::triangular order{heddle::row_major{pairs.folded()}, pairs};
            suppress_by<<<order.size(), box_tile>>>(order, from, count, to);
          }};
}

}  // namespace wild

#pragma once

#include <cstddef>

#include <heddle/coord.hpp>

namespace wild {

// A product of two matrices of floats, a block per 128 x 128 elements.

constexpr int side = 8192, product_tile = 128, depth = 8;

__device__ inline void multiply(const float* a, const float* b, float* c, heddle::coord tile) {
  __shared__ float4 of_a[depth][product_tile / 4], of_b[depth][product_tile / 4];  // a step of A, transposed, and of B
  const int thread = static_cast<int>(threadIdx.x), x = thread % 16, y = thread / 16;
  const float* from_a = a + std::size_t{1} * (tile.row * product_tile + thread / 2) * side + thread % 2 * 4;
  const float* from_b = b + std::size_t{1} * (thread / 32) * side + tile.col * product_tile + thread % 32 * 4;
  float sums[8][8] = {};
  for (int k = 0; k < side; k += depth, from_a += depth, from_b += depth * side) {
    const float4 next_a = *reinterpret_cast<const float4*>(from_a), next_b = *reinterpret_cast<const float4*>(from_b);
    __syncthreads();
    auto* const column = reinterpret_cast<float*>(of_a[thread % 2 * 4]) + thread / 2;
    column[0] = next_a.x, column[product_tile] = next_a.y;
    column[2 * product_tile] = next_a.z, column[3 * product_tile] = next_a.w;
    of_b[thread / 32][thread % 32] = next_b;
    __syncthreads();
#pragma unroll
    for (int step = 0; step < depth; ++step) {
      const float4 rows[2] = {of_a[step][y], of_a[step][16 + y]}, cols[2] = {of_b[step][x], of_b[step][16 + x]};
      const float row[8] = {rows[0].x, rows[0].y, rows[0].z, rows[0].w, rows[1].x, rows[1].y, rows[1].z, rows[1].w};
      const float col[8] = {cols[0].x, cols[0].y, cols[0].z, cols[0].w, cols[1].x, cols[1].y, cols[1].z, cols[1].w};
#pragma unroll
      for (int i = 0; i < 64; ++i) sums[i / 8][i % 8] += row[i / 8] * col[i % 8];
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float* const to = c + std::size_t{1} * (tile.row * product_tile + i / 4 * 64 + y * 4 + i % 4) * side +
                      tile.col * product_tile + x * 4;
    *reinterpret_cast<float4*>(to) = {sums[i][0], sums[i][1], sums[i][2], sums[i][3]};
    *reinterpret_cast<float4*>(to + 64) = {sums[i][4], sums[i][5], sums[i][6], sums[i][7]};
  }
}

}  // namespace wild

// A product of matrices, one block per tile, timed in two orders of its tiles. docs/start.md quotes it without the lines
// that check the result.

#include <algorithm>
#include <cstdio>
#include <vector>

#include <heddle/order/cta_swizzle.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/order/tile_of_block.hpp>

#include "../common/card.hpp"

constexpr int m = 512, n = 524288, k = 512;  // C = A B: 512 queries by half a million vectors of length 512

template <class Order>
__global__ void product(const __grid_constant__ Order order, const float* a, const float4* b, float4* c) {
  const auto [row, col] = heddle::tile_of_block(order);  // without heddle: row = blockIdx.y, col = blockIdx.x
  const int column = col * blockDim.x + threadIdx.x;
  float4 sums[8] = {};  // a tile has 8 rows and 512 columns, a thread four of these
#pragma unroll 4
  for (int i = 0; i < k; ++i) {
    const float4 y = b[i * (n / 4) + column];
    for (int p = 0; p < 8; ++p) {
      const float x = a[(row * 8 + p) * k + i];
      sums[p].x += x * y.x, sums[p].y += x * y.y, sums[p].z += x * y.z, sums[p].w += x * y.w;
    }
  }
  for (int p = 0; p < 8; ++p) c[(row * 8 + p) * (n / 4) + column] = sums[p];
}

__global__ void fill(float* to) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = i * 2654435761u >> 29;
}

/// Compares at least one element of every tile with its sum on the host. All numbers are whole, so that sums are exact.
bool is_right(const float4* c) {
  const auto value = [](unsigned i) { return i * 2654435761u >> 29; };  // that of fill
  std::vector<float> line(n);
  for (int row = 0; row < m; row += row % 8 == 7 ? 1 : 9) {
    if (cudaMemcpy(line.data(), c + row * (n / 4), 4LL * n, cudaMemcpyDefault) != cudaSuccess) return false;
    for (int col = row; col < n; col += 509) {
      unsigned sum = 0;
      for (int i = 0; i < k; ++i) sum += value(row * k + i) * value(i * n + col);
      if (line[col] != sum) return std::printf("[%d][%d]: %f instead of %u\n", row, col, line[col], sum), false;
    }
  }
  return true;
}

int main() {
  if (!has_gpu("00_product")) return skipped;
  float *a, *b, *c;
  if (cudaMalloc(&a, 4LL * m * k) || cudaMalloc(&b, 4LL * k * n) || cudaMalloc(&c, 4LL * m * n))
    return std::puts("no GPU with 2.2 GB to spare: nothing was run"), 77;
  fill<<<m * k / 256, 256>>>(a);
  fill<<<n / 256 * k, 256>>>(b);

  const heddle::extent grid{m / 8, n / 512};
  const heddle::row_major raster{grid};                // the order of blockIdx
  const heddle::cta_swizzle bands{grid, /*width*/ 8};  // the line that changes it: bands of 8 columns

  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  const auto milliseconds = [&]<class Order>(Order order) {
    cudaEventRecord(begin);
    product<<<order.size(), 128>>>(order, a, (float4*)b, (float4*)c);
    cudaEventRecord(end), cudaEventSynchronize(end);
    float passed = 0;
    return cudaEventElapsedTime(&passed, begin, end), passed;
  };
  for (const bool in_bands : {false, true}) {
    cudaMemset(c, 0xff, 4LL * m * n);  // NaN
    in_bands ? milliseconds(bands) : milliseconds(raster);
    if (!is_right((float4*)c)) return 1;
  }
  float before[9], after[9];
  for (int i = 0; i < 9; ++i) before[i] = milliseconds(raster), after[i] = milliseconds(bands);
  std::sort(before, before + 9), std::sort(after, after + 9);
  std::printf("raster %.2f ms, bands %.2f ms: %.2f times as fast\n", before[4], after[4], before[4] / after[4]);
}

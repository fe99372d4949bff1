// A product of matrices, one block per tile, timed in two orders of its tiles. README.md quotes it without the lines
// that check the result.

#include <algorithm>
#include <cstdio>
#include <vector>

#include <heddle/order/cta_swizzle.hpp>
#include <heddle/order/row_major.hpp>

constexpr int m = 512, n = 524288, k = 512;  // C = Aᵀ B: 512 queries by half a million vectors of length 512

template <int size>
struct alignas(4 * size) values {
  float of[size];
};

template <class Order>
__global__ void product(const __grid_constant__ Order order, const values<8>* a, const values<4>* b, values<4>* c) {
  const auto [row, col] = order(blockIdx.x);          // without heddle: row = blockIdx.y, col = blockIdx.x
  const int column = col * blockDim.x + threadIdx.x;  // a tile has 8 rows and 512 columns, four of them per thread
  values<4> sums[8] = {};
#pragma unroll 4
  for (int i = 0; i < k; ++i) {
    const values<8> x = a[i * (m / 8) + row];
    const values<4> y = b[i * (n / 4) + column];
    for (int p = 0; p < 8; ++p)
      for (int q = 0; q < 4; ++q) sums[p].of[q] += x.of[p] * y.of[q];
  }
  for (int p = 0; p < 8; ++p) c[(row * 8 + p) * (n / 4) + column] = sums[p];
}

/// Whole numbers from -4 to 3: sums of their products are exact.
__host__ __device__ float value(unsigned i) {
  return static_cast<float>(static_cast<int>(i * 2654435761u >> 29) - 4);
}

__global__ void fill(float* to) {
  to[blockIdx.x * 256 + threadIdx.x] = value(blockIdx.x * 256 + threadIdx.x);
}

/// Compares at least one element of every tile with its sum on the host.
bool is_right(const values<4>* c) {
  std::vector<float> line(n);
  for (int row = 0; row < m; row += row % 8 == 7 ? 1 : 9) {
    if (cudaMemcpy(line.data(), c + row * (n / 4), sizeof(float) * n, cudaMemcpyDefault) != cudaSuccess) return false;
    for (int col = row; col < n; col += 509) {
      float sum = 0;
      for (int i = 0; i < k; ++i) sum += value(i * m + row) * value(i * n + col);
      if (line[col] != sum) return std::printf("[%d][%d]: %f instead of %f\n", row, col, line[col], sum), false;
    }
  }
  return true;
}

int main() {
  values<8>* a;
  values<4>*b, *c;
  if (cudaMalloc(&a, 4LL * m * k) || cudaMalloc(&b, 4LL * n * k) || cudaMalloc(&c, 4LL * m * n))
    return std::puts("no GPU here with 2.2 GB to spare: nothing was run"), 77;
  fill<<<m / 256 * k, 256>>>(a->of);
  fill<<<n / 256 * k, 256>>>(b->of);

  const heddle::extent grid{m / 8, n / 512};
  const heddle::row_major raster{grid};                // the order of blockIdx
  const heddle::cta_swizzle bands{grid, /*width*/ 8};  // the line that changes it: bands of 8 columns

  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  const auto milliseconds = [&](auto order) {
    cudaEventRecord(begin);
    product<<<order.size(), 128>>>(order, a, b, c);
    cudaEventRecord(end), cudaEventSynchronize(end);
    float passed = 0;
    return cudaEventElapsedTime(&passed, begin, end), passed;
  };
  for (const bool in_bands : {false, true}) {
    cudaMemset(c, 0xff, 4LL * m * n);  // NaN
    in_bands ? milliseconds(bands) : milliseconds(raster);
    if (!is_right(c)) return 1;
  }
  float before[9], after[9];
  for (int i = 0; i < 9; ++i) before[i] = milliseconds(raster), after[i] = milliseconds(bands);
  std::sort(before, before + 9), std::sort(after, after + 9);
  std::printf("raster %.2f ms, bands %.2f ms: %.2f times as fast\n", before[4], after[4], before[4] / after[4]);
}

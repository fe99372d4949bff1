// A batched product: one block per tile and a plane per blockIdx.z, as a first version has it; and with four planes in
// turn, so that blocks of four planes that run at the same time read the same part of B.

#include <heddle/order/batched.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/order/tile_of_block.hpp>

#include "common.hpp"

constexpr int planes = 7, m = 1021, n = 16381, k = 1019;  // primes: no tile divides them, and B has 67 MB
constexpr int tile_rows = 8, tile_cols = 128;
constexpr int row_tiles = (m + tile_rows - 1) / tile_rows, col_tiles = (n + tile_cols - 1) / tile_cols;

__device__ void multiply_tile(const float* a, const float* b, float* c, int plane, int tile_row, int tile_col) {
  const int first = tile_row * tile_rows, rows = min(tile_rows, m - first);
  const int col = tile_col * tile_cols + threadIdx.x;
  if (col >= n) return;
  a += (1LL * plane * m + first) * k;  // each plane has its own A, and all have one B
  c += (1LL * plane * m + first) * n;
  float sums[tile_rows] = {};
  for (int i = 0; i < k; ++i) {
    const float y = b[i * n + col];
    for (int row = 0; row < tile_rows; ++row) sums[row] += a[min(row, rows - 1) * k + i] * y;
  }
  for (int row = 0; row < tile_rows; ++row) {
    if (row < rows) c[row * n + col] = sums[row];
  }
}

__global__ void multiply(const float* a, const float* b, float* c) {
  const int plane = blockIdx.z, tile_row = blockIdx.y, tile_col = blockIdx.x;
  multiply_tile(a, b, c, plane, tile_row, tile_col);
}

void before(const float* a, const float* b, float* c) {
  multiply<<<dim3(col_tiles, row_tiles, planes), tile_cols>>>(a, b, c);
}

template <class Order>
__global__ void multiply(const __grid_constant__ Order order, const float* a, const float* b, float* c) {
  const auto [plane, tile_row, tile_col] = heddle::tile_of_block(order);
  multiply_tile(a, b, c, plane, tile_row, tile_col);
}

void after(const float* a, const float* b, float* c) {
  const heddle::thread_group_tiling bands{{row_tiles, col_tiles}, /*width*/ 8, heddle::axis::x};
  const heddle::batched order{bands, planes, /*interleave*/ 4};
  multiply<<<order.size(), tile_cols>>>(order, a, b, c);
}

int main() try {
  if (!has_gpu("product")) return skipped;
  const std::vector<float> all_a = whole_numbers(1ULL * planes * m * k), all_b = whole_numbers(1ULL * k * n);
  const device_array<float> a(all_a), b(all_b), c(1ULL * planes * m * n);
  const auto expected = [&](int plane, int row, int col) {
    double sum = 0;
    for (int i = 0; i < k; ++i) sum += all_a[(1ULL * plane * m + row) * k + i] * all_b[1ULL * i * n + col];
    return sum;
  };
  return run(c, {planes, m, n, tile_rows, tile_cols}, expected,
             {{"before", [&] { before(a.data(), b.data(), c.data()); }},
              {"after", [&] { after(a.data(), b.data(), c.data()); }}});
} catch (const std::exception& error) {
  return failed("product", error);
}

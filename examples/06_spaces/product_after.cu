// product_before.cu with four planes in turn: blocks of four planes that run at the same time read the same part of B.

#include <heddle/order/batched.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/order/tile_of_block.hpp>

#include "product.hpp"

template <class Order>
__global__ void multiply(const __grid_constant__ Order order, const float* a, const float* b, float* c) {
  const auto [plane, tile_row, tile_col] = heddle::tile_of_block(order);
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

int main() {
  return run("product_after", [](const float* a, const float* b, float* c) {
    const heddle::thread_group_tiling bands{{row_tiles, col_tiles}, /*width*/ 8, heddle::axis::x};
    const heddle::batched order{bands, planes, /*interleave*/ 4};
    multiply<<<order.size(), tile_cols>>>(order, a, b, c);
  });
}

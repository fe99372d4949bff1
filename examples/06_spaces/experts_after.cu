// experts_before.cu with the tiles that there are: a preparation on the stream finds them, and only a bound of their
// number is launched.

#include <heddle/order/grouped.hpp>
#include <heddle/order/tile_of_block.hpp>

#include "experts.hpp"

__global__ void multiply(const __grid_constant__ heddle::grouped order, const float* a, const float* b, float* c) {
  if (static_cast<int>(blockIdx.x) >= order.size()) return;
  const auto [expert, tile_row, tile_col] = heddle::tile_of_block(order);
  const auto [first, end] = order.rows_of({expert, tile_row, tile_col});
  const int rows = min(tile_rows, end - first), col = tile_col * tile_cols + threadIdx.x;
  if (col >= n) return;
  a += 1LL * first * k;
  b += 1LL * expert * k * n;  // each expert has its own B
  c += 1LL * first * n;
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
  return run("experts_after", [](const int* ends, const float* a, const float* b, float* c) {
    static const device_array<char> state(heddle::grouped::state_bytes({rows_in_all, experts, tile_rows, col_tiles}));
    const heddle::grouped order{{rows_in_all, experts, tile_rows, col_tiles}, state.data()};
    check(order.prepare_async(ends, nullptr));
    multiply<<<most_tiles(order), tile_cols>>>(order, a, b, c);
  });
}

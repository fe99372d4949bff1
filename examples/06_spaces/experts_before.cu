// A grouped product as a first version has it: experts have as many rows as the device knows, so the launch has blocks
// for all rows in each expert, and most of them return at once. experts_after.cu is the same program with heddle.

#include "experts.hpp"

__global__ void multiply(const int* ends, const float* a, const float* b, float* c) {
  const int expert = blockIdx.z, tile_row = blockIdx.y, tile_col = blockIdx.x;
  const int first = (expert > 0 ? ends[expert - 1] : 0) + tile_row * tile_rows, end = ends[expert];
  if (first >= end) return;
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
  return run("experts_before", [](const int* ends, const float* a, const float* b, float* c) {
    multiply<<<dim3(col_tiles, most_row_tiles, experts), tile_cols>>>(ends, a, b, c);
  });
}

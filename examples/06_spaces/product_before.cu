// A batched product as a first version has it: one block per tile, and a plane per blockIdx.z. product_after.cu is the
// same program with heddle.

#include "product.hpp"

__global__ void multiply(const float* a, const float* b, float* c) {
  const int plane = blockIdx.z, tile_row = blockIdx.y, tile_col = blockIdx.x;
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
  return run("product_before", [](const float* a, const float* b, float* c) {
    multiply<<<dim3(col_tiles, row_tiles, planes), tile_cols>>>(a, b, c);
  });
}

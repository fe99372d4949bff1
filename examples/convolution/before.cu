// A level of the denoiser as it is usually written: one tile per block, row after row. after.cu is the same with
// heddle.

#include "plain.hpp"

__global__ void denoise(const __grid_constant__ inputs in, image out) {
  const int tile_row = blockIdx.y, tile_col = blockIdx.x;
  const int x = tile_col * tile_cols + threadIdx.x, y = tile_row * tile_rows + threadIdx.y;
  if (out.contains(x, y)) out(x, y) = atrous_pixel(in, x, y);
}

int main() {
  return run("before", [](const inputs& in, image out) {
    const int rows = (out.height + tile_rows - 1) / tile_rows, cols = (out.width + tile_cols - 1) / tile_cols;
    denoise<<<dim3(cols, rows), dim3(tile_cols, tile_rows)>>>(in, out);
    return cudaGetLastError();
  });
}

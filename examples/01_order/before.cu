// A full-screen pass as a first version has it: one block per tile, tiles in the order of blockIdx. after.cu is the
// same program with heddle.

#include "common.hpp"

__global__ void blur(image in, image out) {
  const int tile_row = blockIdx.y, tile_col = blockIdx.x;
  blur_tile(in, out, tile_row, tile_col);
}

int main() {
  return run("before", [](image in, image out) {
    const int rows = (in.rows + tile_rows - 1) / tile_rows, cols = (in.cols + tile_cols - 1) / tile_cols;
    blur<<<dim3(cols, rows), tile_cols>>>(in, out);
  });
}

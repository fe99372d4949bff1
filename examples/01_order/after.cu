// before.cu with its tiles in bands: blocks that run at the same time find in L2 the rows that their neighbours read.

#include <heddle/order/in_bands.hpp>

#include "common.hpp"

__global__ void blur(image in, image out) {
  const auto blockIdx = heddle::in_bands<64>();
  const int tile_row = blockIdx.y, tile_col = blockIdx.x;
  blur_tile(in, out, tile_row, tile_col);
}

int main() {
  return run("after", [](image in, image out) {
    const int rows = (in.rows + tile_rows - 1) / tile_rows, cols = (in.cols + tile_cols - 1) / tile_cols;
    blur<<<dim3(cols, rows), tile_cols>>>(in, out);
  });
}

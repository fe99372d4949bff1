// A matrix product as anyone might write it first: one block a tile, one thread an element.
// after.cu is the same program with heddle.

#include "common.hpp"

__global__ void product(matrix a, matrix b, matrix c) {
  const int tile_row = blockIdx.y, tile_col = blockIdx.x;
  multiply_tile(a, b, c, tile_row, tile_col);
}

int main() {
  return run("before", [](matrix a, matrix b, matrix c) {
    const int tiles_m = (c.rows + tile - 1) / tile, tiles_n = (c.cols + tile - 1) / tile;
    product<<<dim3(tiles_n, tiles_m), dim3(tile, tile)>>>(a, b, c);
  });
}

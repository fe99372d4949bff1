// before.cu with the tiles in an order that keeps concurrent blocks close together.

#include <heddle/order/cta_swizzle.hpp>

#include "common.hpp"

template <class Order>
__global__ void product(const __grid_constant__ Order order, matrix a, matrix b, matrix c) {
  const auto [tile_row, tile_col] = order(blockIdx.x);
  multiply_tile(a, b, c, tile_row, tile_col);
}

int main() {
  return run("after", [](matrix a, matrix b, matrix c) {
    const int tiles_m = (c.rows + tile - 1) / tile, tiles_n = (c.cols + tile - 1) / tile;
    const heddle::cta_swizzle order{{tiles_m, tiles_n}, /*width*/ 16, heddle::axis::x};
    product<<<order.size(), dim3(tile, tile)>>>(order, a, b, c);
  });
}

// 01_order/before.cu over any order, as an argument: what a scheduler, a table or another space of tiles needs.

#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/order/tile_of_block.hpp>

#include "../01_order/common.hpp"

template <class Order>
__global__ void blur(const __grid_constant__ Order order, image in, image out) {
  const auto [tile_row, tile_col] = heddle::tile_of_block(order);
  blur_tile(in, out, tile_row, tile_col);
}

int main() {
  return run("typed", [](image in, image out) {
    const int rows = (in.rows + tile_rows - 1) / tile_rows, cols = (in.cols + tile_cols - 1) / tile_cols;
    const heddle::thread_group_tiling order{{rows, cols}, /*width*/ 64, heddle::axis::x};
    blur<<<order.size(), tile_cols>>>(order, in, out);
  });
}

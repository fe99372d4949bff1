// before.cu with its tiles in bands: blocks that run at the same time find in L2 the rows that their neighbours read.

#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/order/tile_of_block.hpp>

#include "common.hpp"

template <class Order>
__global__ void blur(const __grid_constant__ Order order, image in, image out) {
  const auto [tile_row, tile_col] = heddle::tile_of_block(order);
  blur_tile(in, out, tile_row, tile_col);
}

int main() {
  return run("after", [](image in, image out) {
    const int rows = (in.rows + tile_rows - 1) / tile_rows, cols = (in.cols + tile_cols - 1) / tile_cols;
    const heddle::thread_group_tiling order{{rows, cols}, /*width*/ 64, heddle::axis::x};
    blur<<<order.size(), tile_cols>>>(order, in, out);
  });
}

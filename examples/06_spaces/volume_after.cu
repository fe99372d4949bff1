// volume_before.cu with sixteen slices in turn: blocks that run at the same time read the same slices.

#include <heddle/order/batched.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/order/tile_of_block.hpp>

#include "volume.hpp"

template <class Order>
__global__ void blur(const __grid_constant__ Order order, const float* in, float* out) {
  const auto [slice, tile_row, tile_col] = heddle::tile_of_block(order);
  const int row = tile_row * tile_rows + threadIdx.y, col = tile_col * tile_cols + threadIdx.x;
  if (row >= rows || col >= cols) return;
  float sum = 0;
  for (int z = -radius; z <= radius; ++z) {
    for (int y = -radius; y <= radius; ++y) {
      for (int x = -radius; x <= radius; ++x) sum += in[place_of(slice + z, row + y, col + x)];
    }
  }
  out[place_of(slice, row, col)] = sum;
}

int main() {
  return run("volume_after", [](const float* in, float* out) {
    const heddle::batched order{heddle::row_major{{row_tiles, col_tiles}}, slices, /*interleave*/ 16};
    blur<<<order.size(), dim3(tile_cols, tile_rows)>>>(order, in, out);
  });
}

// expect: blocks of clusters take their tiles from one_shot

#include <heddle/order/clustered.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/order/tile_of_block.hpp>

using pairs = heddle::clustered<heddle::row_major>;

__global__ void kernel(const __grid_constant__ pairs order, int* row) {
  *row = heddle::tile_of_block(order).row;
}

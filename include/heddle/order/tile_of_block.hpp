#pragma once

#include <heddle/concepts.hpp>
#include <heddle/detail/check.hpp>
#include <heddle/detail/gpu.hpp>

#if defined(__CUDACC__)

namespace heddle { inline namespace HEDDLE_ABI {

/// Returns the tile of this block, in a launch of one block per tile: `order(blockIdx.x)`.
///
/// **Preconditions**: the grid has one dimension and `order.size()` blocks, as `launch` with an order makes it; a block
/// past the last tile must not call it. Builds with checks report both. Clusters have `one_shot`.
///
/// **Cost**: that of `order(i)`, and none beside it. With `order(blockIdx.x)` in its place kernels take up to 10 %
/// longer: the compiler computes the addresses that follow in a slower way.
///
/// **Example** (examples/00_start/product.cu):
///
///     const auto [row, col] = heddle::tile_of_block(order);  // without heddle: row = blockIdx.y, col = blockIdx.x
template <tile_order Order>
HEDDLE_DEVICE tile_of<Order> tile_of_block(const Order& order) {
  static_assert(!cluster_order<Order>, "heddle::tile_of_block: blocks of clusters take their tiles from one_shot");
  detail::check(gridDim.y == 1 && gridDim.z == 1, "heddle::tile_of_block: a grid of more than one dimension");
  detail::check(blockIdx.x < static_cast<unsigned>(order.size()), "heddle::tile_of_block: a block without a tile");
  return order(static_cast<int>(detail::gpu<false>::worker()));
}

}}  // namespace heddle::HEDDLE_ABI

#endif

#pragma once

#include <string>

#include <heddle/concepts.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace trace::detail {

/// The tile with an index in an order; over a `cluster_order`, that of the block with this rank.
template <tile_order Order>
auto tile_at(const Order& order, int index, [[maybe_unused]] int rank) {
  heddle::detail::require_at_least(0, "heddle::trace: the index of a slice", index);
  heddle::detail::require_at_most(order.size() - 1, "heddle::trace: the index of a slice", index);
  if constexpr (cluster_order<Order>) {
    return order.tile(index, rank);
  } else {
    return order(index);
  }
}

/// What a tile is called.
template <tile_order Order>
std::string tile_text(const Order& order, int index, int rank) {
  [[maybe_unused]] const auto tile = tile_at(order, index, rank);
  std::string text;
  if constexpr (requires { tile.batch; }) text += std::to_string(tile.batch) + ": ";
  if constexpr (requires { tile.row + tile.col; }) {
    return text + "(" + std::to_string(tile.row) + ", " + std::to_string(tile.col) + ")";
  } else {
    return "tile " + std::to_string(index);
  }
}

}}}  // namespace heddle::HEDDLE_ABI::trace::detail

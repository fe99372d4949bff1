#pragma once

#include <algorithm>
#include <string>

#include <heddle/concepts.hpp>

namespace heddle::inline HEDDLE_ABI::draw {

/// Writes the grid as text: each tile as its index in the order, each row of tiles as a line.
///
///   text(cta_swizzle{{3, 4}, 2})       0  1 10 11
///                                      2  3  8  9
///                                      4  5  6  7
///
/// **Preconditions**: the order is no order of clusters; such an order is a compile error.
///
/// **Example** (tests/golden/golden.cpp):
///
///     CHECK(draw::text(row_major{{1, 10}}) == "0 1 2 3 4 5 6 7 8 9\n");
template <grid_order Order>
std::string text(const Order& order) {
  static_assert(!cluster_order<Order>,
                "heddle::draw::text: an order of clusters has no picture of its tiles. Write the "
                "order that clustered{order, cluster, grid} was given");
  const extent grid = order.grid();
  const auto digits = std::to_string((std::max)(0, order.size() - 1)).size();
  std::string picture;
  for (int row = 0; row < grid.rows; ++row) {
    for (int col = 0; col < grid.cols; ++col) {
      const std::string index = std::to_string(order.index({row, col}));
      if (col > 0) picture += ' ';
      picture.append(digits - (std::min)(digits, index.size()), ' ') += index;
    }
    picture += '\n';
  }
  return picture;
}

}  // namespace heddle::inline HEDDLE_ABI::draw

#pragma once

#include <heddle/coord.hpp>
#include <heddle/detail/fast_div.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Orders tiles column after column.
///
///   0 2 4 6
///   1 3 5 7
///
/// **Preconditions**: 0 <= i < size() for `order(i)`, and a tile of the grid for `index`. No check is made.
/// **Cost**: one multiplication, one shift and one multiply-add per tile; 20 bytes of kernel argument.
/// **Example** (tests/order/readme.cpp):
///
///     constexpr column_major columns{{2, 4}};
///     static_assert(columns(5) == coord{1, 2} && columns.index({1, 2}) == 5);
class column_major {
 public:
  /// Builds the order of a grid.
  HEDDLE_HOST explicit column_major(extent grid) : grid_(grid), column_(grid.rows) {}

  /// Returns the grid of tiles.
  HEDDLE_FN extent space() const { return grid_; }
  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return grid_.size(); }

  /// Returns the i-th tile.
  HEDDLE_FN coord operator()(int i) const {
    const auto [col, row] = column_(i);
    return {row, col};
  }

  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(coord tile) const { return tile.col * grid_.rows + tile.row; }

 private:
  extent grid_;
  detail::fast_div column_;  // tiles in a column
};

}}  // namespace heddle::HEDDLE_ABI

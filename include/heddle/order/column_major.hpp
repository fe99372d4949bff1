#pragma once

#include <heddle/coord.hpp>
#include <heddle/detail/fast_div.hpp>

namespace heddle::inline HEDDLE_ABI {

/// Column after column.
///
///   0 2 4 6
///   1 3 5 7
class column_major {
 public:
  HEDDLE_HOST explicit column_major(extent grid) : grid_(grid), column_(grid.rows) {}

  HEDDLE_FN extent grid() const { return grid_; }
  HEDDLE_FN int size() const { return grid_.size(); }

  HEDDLE_FN coord operator()(int i) const {
    const auto [col, row] = column_(i);
    return {row, col};
  }

  HEDDLE_FN int index(coord tile) const { return tile.col * grid_.rows + tile.row; }

 private:
  extent grid_;
  detail::fast_div column_;  // tiles in a column
};

}  // namespace heddle::inline HEDDLE_ABI

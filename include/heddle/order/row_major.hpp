#pragma once

#include <heddle/coord.hpp>
#include <heddle/detail/fast_div.hpp>

namespace heddle::inline HEDDLE_ABI {

/// Row after row: the order in which the hardware hands out a plain two-dimensional grid.
///
///   0 1 2 3
///   4 5 6 7
class row_major {
 public:
  HEDDLE_HOST explicit row_major(extent grid) : grid_(grid), row_(grid.cols) {}

  HEDDLE_FN extent grid() const { return grid_; }
  HEDDLE_FN int size() const { return grid_.size(); }

  HEDDLE_FN coord operator()(int i) const {
    const auto [row, col] = row_(i);
    return {row, col};
  }

  HEDDLE_FN int index(coord tile) const { return tile.row * grid_.cols + tile.col; }

 private:
  extent grid_;
  detail::fast_div row_;  // tiles in a row
};

}  // namespace heddle::inline HEDDLE_ABI

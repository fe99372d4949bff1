#pragma once

#include <heddle/coord.hpp>

namespace heddle::inline HEDDLE_ABI {

/// Z order on any rectangle, compact: the tiles of the enclosing power-of-two square in Morton order,
/// counted without those that lie outside the grid.
///
///    0  1  4  5 12
///    2  3  6  7 13
///    8  9 10 11 14
///
/// Each turn of the loop halves the square. A quadrant's share of the grid is a clipped rectangle, so
/// the tiles in front of it are counted by two multiplications.
class morton {
 public:
  HEDDLE_HOST explicit morton(extent grid) : grid_(grid) {
    const unsigned longer = static_cast<unsigned>(grid.rows > grid.cols ? grid.rows : grid.cols);
    while (2 * half_ < longer) half_ *= 2;
  }

  HEDDLE_FN extent grid() const { return grid_; }
  HEDDLE_FN int size() const { return grid_.size(); }

  HEDDLE_FN coord operator()(int i) const {
    int rows = grid_.rows, cols = grid_.cols, row = 0, col = 0;
    for (int half = static_cast<int>(half_); half > 0; half /= 2) {
      const int top = rows < half ? rows : half, left = cols < half ? cols : half;
      if (i < top * cols) {
        rows = top;
      } else {
        i -= top * cols;
        row += half;
        rows -= top;
      }
      if (i < rows * left) {
        cols = left;
      } else {
        i -= rows * left;
        col += half;
        cols -= left;
      }
    }
    return {row, col};
  }

  HEDDLE_FN int index(coord tile) const {
    int rows = grid_.rows, cols = grid_.cols, i = 0;
    for (int half = static_cast<int>(half_); half > 0; half /= 2) {
      const int top = rows < half ? rows : half, left = cols < half ? cols : half;
      if (tile.row & half) {
        i += top * cols;
        rows -= top;
      } else {
        rows = top;
      }
      if (tile.col & half) {
        i += rows * left;
        cols -= left;
      } else {
        cols = left;
      }
    }
    return i;
  }

 private:
  extent grid_;
  unsigned half_ = 1;  // half the side of the enclosing square
};

}  // namespace heddle::inline HEDDLE_ABI

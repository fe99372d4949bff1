#pragma once

#include <heddle/coord.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::order {

/// The part of a grid on one side of a diagonal, as two rectangles.
///
/// The rows that grow become one rectangle: the corner that sticks out is turned about the centre, and fills the gap.
/// Rows stay rows and columns stay columns, so a band of the rectangle is a band of the part. An even number of rows is
/// halved along the rows, an odd number along the columns. Rows that are full are the second rectangle.
///
///   0                          0
///   1 2          3 4 5 2 1     1 2         0 5
///   3 4 5        6 7 8 9 0     3 4 5       1 2
///   6 7 8 9                                3 4
///
/// The upper side is the lower side turned.
class staircase {
 public:
  /// Where a tile lies: in which rectangle, and where in it.
  struct place {
    bool is_full;
    coord at;
  };

  HEDDLE_HOST staircase(int rows, int cols, long long diagonal, side of)
      : staircase(rows, cols, of, of == side::lower ? diagonal : 1LL * cols - rows - diagonal) {}

  /// The number of tiles: at most 2^31 - 1, or it is refused.
  HEDDLE_HOST long long size() const {
    return growing_ * (2LL * first_ + growing_ - 1) / 2 + (1LL * rows_ - empty_ - growing_) * cols_;
  }

  HEDDLE_HOST extent folded() const {
    if (growing_ == 0) return {0, 0};
    return growing_ % 2 == 0 ? extent{growing_ / 2, last_ + 1} : extent{growing_, first_ + growing_ / 2};
  }
  HEDDLE_HOST extent full() const { return {rows_ - empty_ - growing_, cols_}; }

  /// The tile at a place of the folded rectangle.
  HEDDLE_FN coord unfolded(coord at) const {
    const bool is_turned = at.col - at.row >= edge_;
    const int sign = is_turned ? -sign_ : sign_;
    return {(is_turned ? turned_.row : folded_.row) + sign * at.row,
            (is_turned ? turned_.col : folded_.col) + sign * at.col};
  }

  /// The tile at a place of the full rows.
  HEDDLE_FN coord unturned(coord at) const { return {full_.row + sign_ * at.row, full_.col + sign_ * at.col}; }

  HEDDLE_FN place place_of(coord tile) const {
    const int row = (sign_ > 0 ? tile.row : rows_ - 1 - tile.row) - empty_;
    const int col = sign_ > 0 ? tile.col : cols_ - 1 - tile.col;
    if (row >= growing_) return {true, {row - growing_, col}};
    const int half = growing_ / 2;
    if (growing_ % 2 == 0) {
      return {false, row < half ? coord{half - 1 - row, last_ - col} : coord{row - half, col}};
    }
    return {false, col >= first_ + half ? coord{growing_ - 1 - row, last_ - col} : coord{row, col}};
  }

  HEDDLE_FN bool contains(coord tile) const {
    const int row = (sign_ > 0 ? tile.row : rows_ - 1 - tile.row) - empty_;
    const int col = sign_ > 0 ? tile.col : cols_ - 1 - tile.col;
    return 0 <= row && row < rows_ - empty_ && 0 <= col && col < cols_ && (row >= growing_ || col < first_ + row);
  }

 private:
  /// `diagonal` is that of the lower side. Rows above it are empty; of the first row that is not, it fixes the length.
  HEDDLE_HOST staircase(int rows, int cols, side of, long long diagonal)
      : sign_(of == side::lower ? 1 : -1),
        rows_(rows),
        cols_(cols),
        empty_(static_cast<int>(cols == 0 || diagonal < -rows ? rows
                                : diagonal < 0                ? -diagonal
                                                              : 0)),
        first_(static_cast<int>(diagonal < 0      ? 1
                                : diagonal < cols ? diagonal + 1
                                                  : cols)),
        growing_(rows - empty_ < cols - first_ + 1 ? rows - empty_ : cols - first_ + 1),
        last_(growing_ <= 1 ? 0 : static_cast<int>(2LL * first_ + growing_ - 2)) {
    require_at_most(0x7fffffff, "heddle::triangle: tiles", size());
    const bool is_even = growing_ % 2 == 0;
    edge_ = is_even ? first_ + growing_ / 2 : first_;
    folded_ = from_top({is_even ? growing_ / 2 : 0, 0});
    full_ = from_top({growing_, 0});
    turned_ = from_top({is_even ? growing_ / 2 - 1 : growing_ - 1, last_});
  }

  HEDDLE_HOST coord from_top(coord at) const {
    return sign_ > 0 ? coord{empty_ + at.row, at.col} : coord{rows_ - 1 - empty_ - at.row, cols_ - 1 - at.col};
  }

  // What `unfolded` needs comes first, and is loaded in two pieces.
  alignas(16) coord folded_{0, 0};  // the tiles that are (0, 0) of a rectangle
  coord turned_{0, 0};
  int edge_ = 0;  // row r of the folded rectangle is turned from column edge + r on
  int sign_;      // -1: the upper side
  coord full_{0, 0};
  int rows_, cols_;
  int empty_;    // rows without a tile
  int first_;    // tiles of the first row that has some
  int growing_;  // rows from there that are one tile longer than the one before
  int last_;     // a turned tile in column c of the rectangle comes from column last - c; one row has none
};

}}}  // namespace heddle::HEDDLE_ABI::detail::order

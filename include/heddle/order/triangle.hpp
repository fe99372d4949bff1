#pragma once

#include <heddle/concepts.hpp>
#include <heddle/detail/fast_div.hpp>
#include <heddle/order/detail/staircase.hpp>

namespace heddle::inline HEDDLE_ABI {

/// The tiles of a grid on one side of a diagonal, which meets row r in column r + `diagonal`.
///
///   triangle{3}      triangle{3, 5, 2}     triangle{3, 5, 1, half::upper}
///   x                x x x                   x x x x
///   x x              x x x x                   x x x
///   x x x            x x x x x                   x x
///
/// **Cost**: one multiplication from a number to its tile; no search and no table.
class triangle {
 public:
  /// Half of a square.
  HEDDLE_HOST explicit triangle(long long rows, half side = half::lower) : triangle(rows, rows, 0, side) {}

  /// A part of any grid. A diagonal that passes outside of the grid leaves all of it, or nothing.
  HEDDLE_HOST triangle(long long rows, long long cols, long long diagonal, half side = half::lower)
      : shape_{detail::require_int_at_least(0, "heddle::triangle: rows", rows),  // braces: in this order
               detail::require_int_at_least(0, "heddle::triangle: cols", cols),
               detail::require_int_at_least(-0x7fffffff, "heddle::triangle: diagonal", diagonal), side},
        rows_(static_cast<int>(rows)),
        cols_(static_cast<int>(cols)),
        diagonal_(static_cast<int>(diagonal)),
        side_(side),
        folded_size_(shape_.folded().size()),
        size_(
            detail::require_at_most(0x7fffffff, "heddle::triangle: tiles", 1LL * folded_size_ + shape_.full().size())),
        folded_(shape_.folded().cols),
        full_(cols_) {}

  /// The number of tiles.
  HEDDLE_FN int size() const { return size_; }
  /// The rows of the grid.
  HEDDLE_FN int rows() const { return rows_; }
  /// The columns of the grid.
  HEDDLE_FN int cols() const { return cols_; }
  /// The column in which the diagonal meets row 0.
  HEDDLE_FN int diagonal() const { return diagonal_; }
  /// The side of the diagonal that it is.
  HEDDLE_FN half side() const { return side_; }

  /// Whether a tile is one of its own.
  HEDDLE_FN bool contains(coord tile) const { return shape_.contains(tile); }

  /// The tile with a number.
  HEDDLE_FN coord tile(int number) const {
    if (number >= folded_size_) {
      const auto [row, col] = full_(number - folded_size_);
      return shape_.unturned({row, col});
    }
    const auto [row, col] = folded_(number);
    return shape_.unfolded({row, col});
  }

  /// The number of a tile.
  HEDDLE_FN int number(coord tile) const {
    const auto [is_full, at] = shape_.place_of(tile);
    return (is_full ? folded_size_ + at.row * cols_ : at.row * folded_.divisor()) + at.col;
  }

  /// Returns the triangle on the other side of the mirrored diagonal: its rows are the columns of this one.
  HEDDLE_HOST triangle transposed() const {
    return {cols_, rows_, -1LL * diagonal_, side_ == half::lower ? half::upper : half::lower};
  }

  HEDDLE_FN friend bool operator==(const triangle& a, const triangle& b) {
    return a.rows_ == b.rows_ && a.cols_ == b.cols_ && a.diagonal_ == b.diagonal_ && a.side_ == b.side_;
  }

  /// The rectangle that its rows of different lengths fold to.
  HEDDLE_HOST extent folded() const { return shape_.folded(); }
  /// The rectangle of its rows that reach across the grid; there are none where the diagonal ends at the last column.
  HEDDLE_HOST extent full() const { return shape_.full(); }
  /// How tiles lie in the rectangles.
  HEDDLE_FN const detail::order::staircase& shape() const { return shape_; }

 private:
  detail::order::staircase shape_;
  int rows_, cols_, diagonal_;
  half side_;
  int folded_size_, size_;
  detail::fast_div folded_, full_;  // tiles in a row
};

/// Returns the triangle of the tiles of `tile` x `tile` that cover a triangle. They are squares: with others the edge
/// would be no diagonal.
HEDDLE_HOST triangle ceil_div(const triangle& space, extent tile) {
  detail::require_at_least(1, "heddle::ceil_div: tile.rows", tile.rows);
  detail::require_equal(tile.rows, "heddle::ceil_div: tile.cols, for a triangle", tile.cols);
  const long long side = tile.rows, diagonal = space.diagonal();
  const auto floor = [&](long long n) { return (n >= 0 ? n : n - side + 1) / side; };
  const extent grid = ceil_div(space.rows(), space.cols(), tile);
  return {grid.rows, grid.cols, space.side() == half::lower ? floor(diagonal + side - 1) : -floor(side - 1 - diagonal),
          space.side()};
}

}  // namespace heddle::inline HEDDLE_ABI

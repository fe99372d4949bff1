#pragma once

#include <heddle/concepts.hpp>
#include <heddle/detail/fast_div.hpp>
#include <heddle/order/detail/staircase.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// A space of the tiles of a grid on one side of a diagonal, which meets row r in column r + `diagonal`.
///
///   triangle{3}      triangle{3, 5, 2}     triangle{3, 5, 1, side::upper}
///   x                x x x                   x x x x
///   x x              x x x x                   x x x
///   x x x            x x x x x                   x x
///
/// The scores of a causal pass whose last query sees all keys: `ceil_div(queries, keys, keys - queries, {side, side})`.
///
/// **Preconditions**: rows and columns are at least 0, and the tiles at most 2^31 - 1; the constructors check them.
///
/// **Cost**: one division by multiplication from a number to its tile; no search and no table.
class triangle {
 public:
  /// Builds half of a square.
  HEDDLE_HOST explicit triangle(long long rows, side kept = side::lower) : triangle(rows, rows, 0, kept) {}

  /// Builds a part of any grid. A diagonal that passes outside of the grid leaves all of it, or nothing.
  HEDDLE_HOST triangle(long long rows, long long cols, long long diagonal, side kept = side::lower)
      : shape_{detail::require_int_at_least(0, "heddle::triangle: rows", rows),  // braces: in this order
               detail::require_int_at_least(0, "heddle::triangle: cols", cols),
               detail::require_int_at_least(-0x7fffffff, "heddle::triangle: diagonal", diagonal), kept},
        rows_(static_cast<int>(rows)),
        cols_(static_cast<int>(cols)),
        diagonal_(static_cast<int>(diagonal)),
        kept_(kept),
        size_(static_cast<int>(shape_.size())),
        folded_size_(shape_.folded().size()),
        folded_(shape_.folded().cols),
        full_(cols_) {}

  /// Returns the space of the pairs i < j of so many things, in tiles of `width` x `width` pairs that have some.
  HEDDLE_HOST static triangle pairs(long long things, int width = 1);

  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return size_; }
  /// Returns the rows of the grid.
  HEDDLE_FN int rows() const { return rows_; }
  /// Returns the columns of the grid.
  HEDDLE_FN int cols() const { return cols_; }
  /// Returns the column in which the diagonal meets row 0.
  HEDDLE_FN int diagonal() const { return diagonal_; }
  /// Returns the side of the diagonal that the triangle keeps.
  HEDDLE_FN side kept() const { return kept_; }

  /// Returns whether a tile is in the triangle.
  HEDDLE_FN bool contains(coord tile) const { return shape_.contains(tile); }

  /// Returns the tile with a number.
  HEDDLE_FN coord tile(int number) const {
    if (number >= folded_size_) {
      const auto [row, col] = full_(number - folded_size_);
      return shape_.unturned({row, col});
    }
    const auto [row, col] = folded_(number);
    return shape_.unfolded({row, col});
  }

  /// Returns the number of a tile.
  HEDDLE_FN int number(coord tile) const {
    const auto [is_full, at] = shape_.place_of(tile);
    return (is_full ? folded_size_ + at.row * cols_ : at.row * folded_.divisor()) + at.col;
  }

  /// Returns the triangle on the other side of the mirrored diagonal: its rows are the columns of this one.
  HEDDLE_HOST triangle transposed() const {
    return {cols_, rows_, -1LL * diagonal_, kept_ == side::lower ? side::upper : side::lower};
  }

  HEDDLE_FN friend bool operator==(const triangle& a, const triangle& b) {
    return a.rows_ == b.rows_ && a.cols_ == b.cols_ && a.diagonal_ == b.diagonal_ && a.kept_ == b.kept_;
  }

  /// Returns the rectangle to which the rows of different lengths fold.
  HEDDLE_HOST extent folded() const { return shape_.folded(); }
  /// Returns the rectangle of the rows that are full. It is empty if the diagonal passes through the last row.
  HEDDLE_HOST extent full() const { return shape_.full(); }
  /// Returns how tiles lie in the two rectangles.
  HEDDLE_FN const detail::order::staircase& shape() const { return shape_; }

 private:
  detail::order::staircase shape_;
  int rows_, cols_, diagonal_;
  side kept_;
  int size_, folded_size_;
  detail::fast_div folded_, full_;  // tiles in a row
};

/// Returns the triangle of the tiles that cover the elements on one side of a diagonal, of a grid of rows x cols
/// elements. Each of its tiles has such an element. The tiles are squares: with others the edge would be no diagonal.
///
///   ceil_div(5, 12, 3, {4, 4})      x x      the last row of tiles has one row of elements, which ends in column 7:
///                                   x x      the triangle has 2 columns and not 3
///
/// The elements may be any number; the tiles are at most 2^31 - 1.
HEDDLE_HOST triangle ceil_div(long long rows, long long cols, long long diagonal, extent tile,
                              side kept = side::lower) {
  detail::require_at_least(0, "heddle::ceil_div: rows", rows);
  detail::require_at_least(0, "heddle::ceil_div: cols", cols);
  detail::require_at_least(1, "heddle::ceil_div: tile.rows", tile.rows);
  detail::require_equal(tile.rows, "heddle::ceil_div: tile.cols, for a triangle", tile.cols);
  const auto within = [](long long least, long long n, long long most) {
    return n < least ? least : n < most ? n : most;
  };
  diagonal = within(-rows, diagonal, cols);  // passes outside of the grid from there on
  if (kept == side::upper) return ceil_div(cols, rows, -diagonal, tile).transposed();

  const long long width = tile.rows;
  const auto tiles_of = [&](const char* name, long long n) {
    return detail::require_int_at_least(0, name, n / width + (n % width > 0));
  };
  const auto tile_of = [&](long long n) { return n / width - (n % width < 0); };
  const long long row_tiles = tiles_of("heddle::triangle: rows", rows);
  const long long col_tiles = tiles_of("heddle::triangle: cols", cols), below = tile_of(diagonal - 1) + 1;
  // The last row of tiles may have fewer rows of elements, and so one tile less.
  const long long end = tile_of(rows - 1 + diagonal) + 1;
  return {row_tiles, end < row_tiles + below ? within(0, end, col_tiles) : col_tiles, below};
}

HEDDLE_HOST triangle triangle::pairs(long long things, int width) {
  return ceil_div(detail::require_at_least(0, "heddle::triangle::pairs: things", things), things, 1, {width, width},
                  side::upper);
}

/// Returns the triangle of the tiles, or of the clusters, that cover a triangle.
HEDDLE_HOST triangle ceil_div(const triangle& space, extent tile) {
  return ceil_div(space.rows(), space.cols(), space.diagonal(), tile, space.kept());
}

}}  // namespace heddle::HEDDLE_ABI

#pragma once

#include <heddle/config.hpp>
#include <heddle/invalid_argument.hpp>

namespace heddle::inline HEDDLE_ABI {

namespace detail {

template <class Number>
concept integer = requires(Number n) {
  n % 2;
};

}  // namespace detail

/// The place of a tile in a grid. Aligned, so that it is loaded and stored in one piece.
struct alignas(8) coord {
  int row, col;

  HEDDLE_FN friend bool operator==(coord a, coord b) { return a.row == b.row && a.col == b.col; }
};

/// Rows and columns of a grid of tiles. Either may be 0; their product is an int.
struct extent {
  int rows, cols;

  /// Of integers of any width: what does not fit is refused here, not cut off on the way.
  template <detail::integer Rows, detail::integer Cols>
  HEDDLE_HOST extent(Rows row_count, Cols col_count)
      : rows(detail::require_int_at_least(0, "heddle::extent: rows", static_cast<long long>(row_count))),
        cols(detail::require_int_at_least(0, "heddle::extent: cols", static_cast<long long>(col_count))) {
    detail::require_at_most(0x7fffffff, "heddle::extent: rows x cols", 1LL * rows * cols);
  }

  HEDDLE_FN int size() const { return rows * cols; }

  HEDDLE_FN bool contains(coord tile) const {
    return 0 <= tile.row && tile.row < rows && 0 <= tile.col && tile.col < cols;
  }

  /// The tile with a number, row after row.
  HEDDLE_FN coord tile(int number) const { return {number / cols, number % cols}; }

  /// The number of a tile.
  HEDDLE_FN int number(coord tile) const { return tile.row * cols + tile.col; }

  HEDDLE_FN friend bool operator==(extent a, extent b) { return a.rows == b.rows && a.cols == b.cols; }
};

/// The direction along which a band is `width` tiles wide: x counts columns, y counts rows.
enum class axis { x, y };

/// The grid of `tile`s that covers rows x cols; the last row and column of tiles may stick out.
HEDDLE_HOST extent ceil_div(long long rows, long long cols, extent tile) {
  detail::require_at_least(0, "heddle::ceil_div: rows", rows);
  detail::require_at_least(0, "heddle::ceil_div: cols", cols);
  detail::require_at_least(1, "heddle::ceil_div: tile.rows", tile.rows);
  detail::require_at_least(1, "heddle::ceil_div: tile.cols", tile.cols);
  return {rows / tile.rows + (rows % tile.rows > 0), cols / tile.cols + (cols % tile.cols > 0)};
}

HEDDLE_HOST extent ceil_div(extent grid, extent tile) {
  return ceil_div(grid.rows, grid.cols, tile);
}

}  // namespace heddle::inline HEDDLE_ABI

#pragma once

#include <heddle/config.hpp>
#include <heddle/invalid_argument.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail {

template <class Number>
concept integer = requires(Number n) {
  n % 2;
};

}  // namespace detail

/// Names a tile by its row and its column. The alignment lets one instruction load or store both.
struct alignas(8) coord {
  int row, col;  // counted from 0

  /// Compares rows and columns.
  HEDDLE_FN friend bool operator==(coord a, coord b) { return a.row == b.row && a.col == b.col; }
};

/// Gives the rows and columns of a grid of tiles. Either may be 0.
///
/// **Preconditions**: rows, columns and their product lie in [0, 2^31 - 1]; the constructor checks them.
/// **Cost**: 8 bytes; device code can copy an extent but not construct one.
/// **Example** (tests/order/readme.cpp):
///
///     const heddle::extent grid = heddle::ceil_div(4001, 8192, {128, 256});  // tiles, the ragged ones included
struct extent {
  int rows, cols;  // of tiles

  /// Takes integers of any type, and refuses a value that does not fit.
  template <detail::integer Rows, detail::integer Cols>
  HEDDLE_HOST extent(Rows row_count, Cols col_count)
      : rows(detail::require_int_at_least(0, "heddle::extent: rows", static_cast<long long>(row_count))),
        cols(detail::require_int_at_least(0, "heddle::extent: cols", static_cast<long long>(col_count))) {
    detail::require_at_most(0x7fffffff, "heddle::extent: rows x cols", 1LL * rows * cols);
  }

  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return rows * cols; }

  /// Returns whether a tile lies on the grid.
  HEDDLE_FN bool contains(coord tile) const {
    return 0 <= tile.row && tile.row < rows && 0 <= tile.col && tile.col < cols;
  }

  /// Returns the tile with a number, counted row after row.
  HEDDLE_FN coord tile(int number) const { return {number / cols, number % cols}; }

  /// Returns the number of a tile.
  HEDDLE_FN int number(coord tile) const { return tile.row * cols + tile.col; }

  /// Returns the grid with rows and columns swapped. It swaps those of a copy: a device function builds no extent.
  HEDDLE_FN extent transposed() const {
    extent turned = *this;
    turned.rows = cols;
    turned.cols = rows;
    return turned;
  }

  /// Compares rows and columns.
  HEDDLE_FN friend bool operator==(extent a, extent b) { return a.rows == b.rows && a.cols == b.cols; }
};

/// Names the direction in which a band is `width` tiles wide.
enum class axis {
  x,  // `width` counts columns
  y   // `width` counts rows
};

/// Names a side of a diagonal.
enum class side {
  lower,  // the tiles on the diagonal and below it
  upper   // the tiles on the diagonal and above it
};

/// Returns the grid of tiles that covers rows x cols elements. The tiles of the last row and the last column may extend
/// past the elements.
HEDDLE_HOST extent ceil_div(long long rows, long long cols, extent tile) {
  detail::require_at_least(0, "heddle::ceil_div: rows", rows);
  detail::require_at_least(0, "heddle::ceil_div: cols", cols);
  detail::require_at_least(1, "heddle::ceil_div: tile.rows", tile.rows);
  detail::require_at_least(1, "heddle::ceil_div: tile.cols", tile.cols);
  return {rows / tile.rows + (rows % tile.rows > 0), cols / tile.cols + (cols % tile.cols > 0)};
}

/// Returns the grid of tiles, or of clusters, that covers a grid.
HEDDLE_HOST extent ceil_div(extent grid, extent tile) {
  return ceil_div(grid.rows, grid.cols, tile);
}

}}  // namespace heddle::HEDDLE_ABI

#pragma once

#include <heddle/config.hpp>
#include <heddle/invalid_argument.hpp>

namespace heddle::inline v0 {

/// The place of a tile in a grid. Aligned, so that it is loaded and stored in one piece.
struct alignas(8) coord {
  int row, col;

  friend constexpr bool operator==(const coord&, const coord&) = default;
};

/// Rows and columns of a grid of tiles. Either may be 0; their product is an int.
struct extent {
  int rows, cols;

  constexpr extent(int rows, int cols)
      : rows(detail::require_at_least(0, "heddle::extent: rows", rows)),
        cols(detail::require_at_least(0, "heddle::extent: cols", cols)) {
    detail::require_at_most(0x7fffffff, "heddle::extent: rows x cols", static_cast<long long>(rows) * cols);
  }

  HEDDLE_FN int size() const { return rows * cols; }

  HEDDLE_FN bool contains(coord tile) const {
    return 0 <= tile.row && tile.row < rows && 0 <= tile.col && tile.col < cols;
  }

  friend constexpr bool operator==(const extent&, const extent&) = default;
};

/// The direction along which a band is `width` tiles wide: x counts columns, y counts rows.
enum class axis { x, y };

/// The grid of `tile`s that covers `problem`; the last row and column of tiles may stick out.
constexpr extent ceil_div(extent problem, extent tile) {
  detail::require_at_least(1, "heddle::ceil_div: tile.rows", tile.rows);
  detail::require_at_least(1, "heddle::ceil_div: tile.cols", tile.cols);
  return {static_cast<int>((problem.rows + (tile.rows - 1LL)) / tile.rows),
          static_cast<int>((problem.cols + (tile.cols - 1LL)) / tile.cols)};
}

}  // namespace heddle::inline v0

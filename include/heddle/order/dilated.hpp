#pragma once

#include <heddle/coord.hpp>
#include <heddle/order/detail/residues.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Makes neighbours of tiles that are exactly one `step` apart, because an à-trous pass reads them together.
///
/// Tiles with equal remainders (row modulo step.rows, column modulo step.cols) form a class. The order walks one class
/// after another. It cuts each class into strips of `width` of its columns and walks a strip line by line:
///
///   step {2, 3}, width 2       0  9 15 |  1 10 16 |  6      class {0, 0}: columns 0 3 | 6
///                             21 27 31 | 22 28 32 | 25
///                             -------------------------
///                              2 11 17 |  3 12 18 |  7
///                             23 29 33 | 24 30 34 | 26
///                             -------------------------
///                              4 13 19 |  5 14 20 |  8
///
/// **Preconditions**: the sides of `step` and `width` are at least 1; the constructor checks them. 0 <= i < size() for
/// `order(i)`, and a tile of the grid for `index`; no check is made.
/// **Cost**: 97 PTX instructions per tile, without a division; 144 bytes of kernel argument.
/// **Example** (examples/convolution/after.cu):
///
///     const heddle::dilated order{{rows, cols}, {step / tile_rows, step / tile_cols}, /*width*/ 2};
///     const heddle::sm_affine scheduler{order, state, /*run*/ 64};
class dilated {
 public:
  /// Builds the order of a grid. `step` counts tiles; `width` counts columns of a class.
  HEDDLE_HOST dilated(extent grid, extent step, long long width)
      : grid_(grid),
        line_(grid.cols),
        rows_(grid.rows, detail::require_at_least(1, "heddle::dilated: step.rows", step.rows)),
        cols_(grid.cols, detail::require_at_least(1, "heddle::dilated: step.cols", step.cols)),
        strip_(detail::require_int_at_least(1, "heddle::dilated: width", width)),
        last_of_long_(last_strip(cols_.long_count(), strip_.divisor())),
        last_of_short_(last_strip(cols_.short_count(), strip_.divisor())) {}

  /// Returns the grid of tiles.
  HEDDLE_FN extent space() const { return grid_; }
  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return grid_.size(); }

  /// Returns the i-th tile.
  HEDDLE_FN coord operator()(int i) const {
    // The indices of a class form a rectangle. Dividing by its height alone gives the class and the column that an
    // index would have with strips one column wide; a strip has whole columns, so that this also gives the strip.
    const int row_class = rows_.of_position(line_.quotient(i)).remainder;
    const detail::fast_div height = rows_.count(row_class);
    i -= rows_.begin(row_class) * grid_.cols;
    const auto [col_class, col_place] = cols_.of_position(height.quotient(i));
    i -= cols_.begin(col_class) * height.divisor();

    const int strip = strip_.quotient(col_place) * strip_.divisor();
    const auto [row_in_strip, col_in_strip] = breadth(col_class, strip)(i - strip * height.divisor());
    return {rows_.number({row_class, row_in_strip}), cols_.number({col_class, strip + col_in_strip})};
  }

  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(coord tile) const {
    const auto [row_class, row_place] = rows_.of_number(tile.row);
    const auto [col_class, col_place] = cols_.of_number(tile.col);
    const int strip = strip_.quotient(col_place) * strip_.divisor();
    return rows_.begin(row_class) * grid_.cols + (cols_.begin(col_class) + strip) * rows_.count(row_class).divisor() +
           row_place * breadth(col_class, strip).divisor() + (col_place - strip);
  }

 private:
  HEDDLE_HOST static int last_strip(int cols, int width) { return cols % width > 0 ? cols % width : width; }

  /// Returns the number of columns in the strip that begins at column `strip` of its class. The last strip may be
  /// narrower.
  HEDDLE_FN detail::fast_div breadth(int col_class, int strip) const {
    const bool whole = cols_.count(col_class).divisor() - strip >= strip_.divisor();
    return last_of_short_.or_if(cols_.is_long(col_class), last_of_long_).or_if(whole, strip_);
  }

  extent grid_;
  detail::fast_div line_;
  detail::order::residues rows_, cols_;
  detail::fast_div strip_, last_of_long_, last_of_short_;
};

}}  // namespace heddle::HEDDLE_ABI

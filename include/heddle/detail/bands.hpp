#pragma once

#include <heddle/coord.hpp>
#include <heddle/detail/fast_div.hpp>
#include <heddle/detail/newton_division.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Cuts a grid into bands: the part that thread_group_tiling, cta_swizzle and in_bands share.
///
/// A band has the whole `length` of the grid and is `width` tiles wide; the last band may be narrower. A position
/// counts `along` its band and `across` the grid; the axis decides which of them is the row. The order walks one band
/// after another, each line by line:
///
///   width 3, axis::x      0  1  2 | 12 13
///                         3  4  5 | 14 15      along: down
///                         6  7  8 | 16 17      across: to the right
///                         9 10 11 | 18 19
class alignas(16) bands {
 public:
  struct position {
    int band, along, across;

    /// Counts from the far end of the band if `backwards`. The function is its own inverse.
    HEDDLE_FN position backwards_if(bool backwards, int last_along) const {
      return {band, backwards ? last_along - along : along, across};
    }
    HEDDLE_FN coord tile(axis axis) const { return axis == axis::x ? coord{along, across} : coord{across, along}; }
  };

  /// Returns what `at(i)` of bands over that length and breadth does, with two divisions in place of a constructor.
  HEDDLE_FN static position divided(int length, int breadth, int width, int i) {
    const auto [band, rest] = newton_division(i, (width < breadth ? width : breadth) * length);
    const int first = band * width, left = breadth - first;
    const auto [along, across] = newton_division(rest, left < width ? left : width);
    return {band, along, first + across};
  }

  HEDDLE_FN bands(extent grid, int width, axis axis)
      : bands(grid, axis, axis == axis::x ? grid.rows : grid.cols, axis == axis::x ? grid.cols : grid.rows, width) {}

  /// Returns bands of the same width over a grid with as many columns and other rows: with one division, in place of
  /// the five of the constructor.
  HEDDLE_FN bands with_rows(int rows) const {
    bands other = *this;
    other.grid_.rows = rows;
    if (axis_ == axis::x) {
      other.last_along_ = rows - 1;
      other.band_ = fast_div(width_ * rows);
      other.last_begin_ = line_.quotient(grid_.cols) * other.band_.divisor();
    } else {
      const auto [whole, left] = line_(rows);
      other.last_line_ = fast_div(left);
      other.last_begin_ = whole * band_.divisor();
    }
    return other;
  }

  HEDDLE_FN extent space() const { return grid_; }
  HEDDLE_FN int width() const { return width_; }
  HEDDLE_FN int length() const { return last_along_ + 1; }

  HEDDLE_FN position at(int i) const {
    const auto [band, rest] = band_(i);
    const auto [along, across] = line_.or_if(i >= last_begin_, last_line_)(rest);
    return {band, along, band * width_ + across};
  }

  /// Returns the band and the position of a tile. An order may then turn `along` in some bands before it asks for the
  /// index.
  HEDDLE_FN position position_of(coord tile) const {
    const auto [along, across] = position{0, tile.row, tile.col}.tile(axis_);
    return {line_.quotient(across), along, across};
  }

  HEDDLE_FN int index(position p) const {
    const int begin = p.band * band_.divisor();
    const int line = begin < last_begin_ ? width_ : last_line_.divisor();
    return begin + p.along * line + (p.across - p.band * width_);
  }

  /// Counts a position from the far end of its band if `backwards`. The function is its own inverse.
  HEDDLE_FN position backwards_if(bool backwards, position p) const { return p.backwards_if(backwards, last_along_); }

  HEDDLE_FN coord tile(position p) const { return p.tile(axis_); }

 private:
  HEDDLE_FN bands(extent grid, axis axis, int length, int breadth, int width)
      : band_((width < breadth ? width : breadth) * length),
        last_begin_(0),
        line_(width < breadth ? width : breadth),
        width_(line_.divisor()),
        last_line_(breadth % width_),
        axis_(axis),
        last_along_(length - 1),
        grid_(grid) {
    last_begin_ = breadth / width_ * band_.divisor();
  }

  // The order and the alignment of the members let a kernel load its argument in pieces of 16 bytes.
  fast_div band_;   // tiles in a band
  int last_begin_;  // first index of the narrower last band; the grid's size if all bands have the full width
  fast_div line_;   // tiles in a line across a band
  int width_;
  fast_div last_line_;
  axis axis_;
  int last_along_;
  extent grid_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail

#pragma once

#include <heddle/order/detail/bands.hpp>

namespace heddle::inline HEDDLE_ABI {

/// Bands of `width` tiles, each walked line by line: blocks that run together stay within `width`
/// columns (axis::x) or rows (axis::y), and find in L2 what their neighbours just read.
///
///   width 2, axis::x      0 1 | 6  7 | 12      width 2, axis::y      0 2 4 6 8
///                         2 3 | 8  9 | 13                            1 3 5 7 9
///                         4 5 | 10 11| 14                            ----------
///                                                                    10 11 12 13 14
///
/// A grid narrower than `width` is one band. A band as wide as the grid is row_major.
class thread_group_tiling {
 public:
  HEDDLE_HOST thread_group_tiling(extent grid, long long width, axis axis = axis::x)
      : bands_(grid, detail::require_int_at_least(1, "heddle::thread_group_tiling: width", width), axis) {}

  HEDDLE_FN extent grid() const { return bands_.grid(); }
  HEDDLE_FN int size() const { return grid().size(); }

  HEDDLE_FN coord operator()(int i) const { return bands_.tile(bands_.at(i)); }
  HEDDLE_FN int index(coord tile) const { return bands_.index(bands_.position_of(tile)); }

  /// The most rows and columns together between one tile and the next: across a line's end, or back
  /// along the whole band to the start of the next.
  HEDDLE_FN int longest_step() const { return bands_.width() > bands_.length() ? bands_.width() : bands_.length(); }

 private:
  detail::order::bands bands_;
};

}  // namespace heddle::inline HEDDLE_ABI

#pragma once

#include <heddle/order/detail/bands.hpp>

namespace heddle::inline HEDDLE_ABI {

/// The bands of thread_group_tiling in serpentine: every other band runs backwards along its length,
/// so that the next band begins beside the tile where the last one ended.
///
///   width 2, axis::x      0 1 | 10 11 | 12
///                         2 3 |  8  9 | 13
///                         4 5 |  6  7 | 14
class cta_swizzle {
 public:
  HEDDLE_HOST cta_swizzle(extent grid, long long width, axis axis = axis::x)
      : bands_(grid, detail::require_int_at_least(1, "heddle::cta_swizzle: width", width), axis) {}

  HEDDLE_FN extent grid() const { return bands_.grid(); }
  HEDDLE_FN int size() const { return grid().size(); }

  HEDDLE_FN coord operator()(int i) const { return bands_.tile(turned(bands_.at(i))); }
  HEDDLE_FN int index(coord tile) const { return bands_.index(turned(bands_.position_of(tile))); }

  /// The most rows and columns together between one tile and the next: from a line's end to the
  /// beginning of the line beside it.
  HEDDLE_FN int longest_step() const { return bands_.width(); }

 private:
  /// Odd bands run backwards. Its own inverse.
  HEDDLE_FN detail::order::bands::position turned(detail::order::bands::position p) const {
    return bands_.backwards_if(p.band & 1, p);
  }

  detail::order::bands bands_;
};

}  // namespace heddle::inline HEDDLE_ABI

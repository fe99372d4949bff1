#pragma once

#include <heddle/detail/bands.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Walks the bands of `thread_group_tiling` in serpentine: every other band runs backwards along its length, so that a
/// band begins next to the last tile of the band before it.
///
///   width 2, axis::x      0 1 | 10 11 | 12
///                         2 3 |  8  9 | 13
///                         4 5 |  6  7 | 14
///
/// **Preconditions**: `width` is at least 1; the constructor checks it. 0 <= i < size() for `order(i)`, and a tile of
/// the grid for `index`; no check is made.
/// **Cost**: 22 PTX instructions per tile, without a division; 64 bytes of kernel argument.
/// **Example** (tests/order/readme.cpp):
///
///     const heddle::extent grid = heddle::ceil_div(4001, 8192, {128, 256});  // tiles, the ragged ones included
///     const heddle::cta_swizzle order{grid, /*width*/ 8, heddle::axis::x};
///     order(17);               // {row, col} of tile number 17
class cta_swizzle {
 public:
  /// Builds the order of a grid in bands of `width` tiles. axis::x: `width` counts columns; axis::y: rows.
  HEDDLE_HOST cta_swizzle(extent grid, long long width, axis axis = axis::x)
      : bands_(grid, detail::require_int_at_least(1, "heddle::cta_swizzle: width", width), axis) {}

  /// Returns the grid of tiles.
  HEDDLE_FN extent space() const { return bands_.space(); }
  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return space().size(); }

  /// Returns the i-th tile.
  HEDDLE_FN coord operator()(int i) const { return bands_.tile(turned(bands_.at(i))); }
  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(coord tile) const { return bands_.index(turned(bands_.position_of(tile))); }

  /// Returns a distance, rows plus columns, that no step from one tile to the next exceeds: the step to a new line.
  HEDDLE_FN int longest_step() const { return bands_.width(); }

 private:
  /// Turns odd bands round. The function is its own inverse.
  HEDDLE_FN detail::bands::position turned(detail::bands::position p) const {
    return bands_.backwards_if(p.band & 1, p);
  }

  detail::bands bands_;
};

}}  // namespace heddle::HEDDLE_ABI

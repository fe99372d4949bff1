#pragma once

#include <heddle/detail/bands.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Cuts the grid into bands `width` tiles wide and walks each band line by line. Blocks that run at the same time stay
/// within `width` columns (axis::x) or rows (axis::y), so that they find in L2 what their neighbours just read.
///
///   width 2, axis::x      0 1 | 6  7 | 12      width 2, axis::y      0 2 4 6 8
///                         2 3 | 8  9 | 13                            1 3 5 7 9
///                         4 5 | 10 11| 14                            ----------
///                                                                    10 11 12 13 14
///
/// The last band may be narrower. A `width` of the whole grid or more gives one band: `row_major` with axis::x,
/// `column_major` with axis::y.
///
/// **Preconditions**: `width` is at least 1; the constructor checks it. 0 <= i < size() for `order(i)`, and a tile of
/// the grid for `index`; no check is made.
/// **Cost**: 17 PTX instructions per tile, without a division; 64 bytes of kernel argument.
/// **Example** (examples/02_schedule/typed.cu):
///
///     const heddle::thread_group_tiling order{{rows, cols}, /*width*/ 64, heddle::axis::x};
///     blur<<<order.size(), tile_cols>>>(order, in, out);
class thread_group_tiling {
 public:
  /// Builds the order of a grid in bands of `width` tiles. axis::x: `width` counts columns; axis::y: rows.
  HEDDLE_HOST thread_group_tiling(extent grid, long long width, axis axis = axis::x)
      : bands_(grid, detail::require_int_at_least(1, "heddle::thread_group_tiling: width", width), axis) {}

  /// Returns the grid of tiles.
  HEDDLE_FN extent space() const { return bands_.space(); }
  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return space().size(); }

  /// Returns the i-th tile.
  HEDDLE_FN coord operator()(int i) const { return bands_.tile(bands_.at(i)); }
  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(coord tile) const { return bands_.index(bands_.position_of(tile)); }

  /// Returns a distance, rows plus columns, that no step from one tile to the next exceeds: that of the step to a new
  /// line, or the one from the end of a band back to the start of the next.
  HEDDLE_FN int longest_step() const { return bands_.width() > bands_.length() ? bands_.width() : bands_.length(); }

 private:
  detail::bands bands_;
};

}}  // namespace heddle::HEDDLE_ABI

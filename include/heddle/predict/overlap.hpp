#pragma once

#include <heddle/coord.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Says which share of what a tile reads another tile reads too, and where that tile is.
///
/// **Example** (examples/01_order/attention.hpp):
///
///     return {shared / all, 1, in_column ? heddle::axis::y : heddle::axis::x};
struct overlap {
  double share = 0;                     // of the bytes that the tile reads, from 0 to 1
  int distance = 1;                     // from one tile to the other, in tiles
  heddle::axis axis = heddle::axis::x;  // along which the distance is
};

/// Returns the overlap of a tile with the tile that shares most with it.
template <class Problem>
constexpr overlap closest_overlap(const Problem& problem) {
  return problem.closest_overlap();
}

}  // namespace heddle::inline HEDDLE_ABI::predict

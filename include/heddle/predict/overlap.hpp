#pragma once

#include <heddle/coord.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// How much of what a tile reads another tile reads too, `distance` tiles along `axis` from it.
struct overlap {
  double share = 0;
  int distance = 1;
  heddle::axis axis = heddle::axis::x;
};

/// The overlap of a tile with the tile that shares most with it.
template <class Problem>
constexpr overlap closest_overlap(const Problem& problem) {
  return problem.closest_overlap();
}

}  // namespace heddle::inline HEDDLE_ABI::predict

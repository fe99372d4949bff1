#pragma once

#include <heddle/config.hpp>

namespace hopper {

/// Returns the rows of a box of the last tile of a matrix. The tile has `left` rows; `sharers` blocks copy a box each,
/// and the last of them may have none. Several boxes have a multiple of eight rows each, as a swizzle needs.
HEDDLE_FN int rows_of_last_box(int left, int sharers) {
  return sharers == 1 ? left : (left + 8 * sharers - 1) / (8 * sharers) * 8;
}

}  // namespace hopper

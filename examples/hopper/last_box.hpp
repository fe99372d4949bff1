#pragma once

#include <heddle/config.hpp>

namespace hopper {

/// Returns the rows of a box of the last tile of a matrix, of which `left` rows are left, if each of `sharers` blocks
/// copies a box or none. A box of several begins at a multiple of eight rows, as a swizzle does.
HEDDLE_FN int rows_of_last_box(int left, int sharers) {
  return sharers == 1 ? left : (left + 8 * sharers - 1) / (8 * sharers) * 8;
}

}  // namespace hopper

#pragma once

#include <heddle/invalid_argument.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns the number of tiles that cover `size`.
constexpr int tiles_along(long long size, int tile) {
  return static_cast<int>((size + tile - 1) / tile);
}

/// Refuses a problem whose bytes, read and written together, do not fit in 64 bits. `bytes` is an upper bound of
/// either, for which a double is precise enough.
constexpr void require_countable(const char* name, double bytes) {
  constexpr long long exabytes = 4;
  if (bytes > 1e18 * exabytes)
    refuse(name, bytes < 9e36 ? static_cast<long long>(bytes / 1e18) : 0x7fffffffffffffff, "at most", exabytes);
}

}  // namespace heddle::inline HEDDLE_ABI::detail

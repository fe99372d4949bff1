#pragma once

#include <algorithm>
#include <cmath>

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns the time of two units that alone take a and b, (a^p + b^p)^(1/p). No power of a time leaves the range of a
/// double.
inline double time_of_both(double a, double b, double p) {
  const double longer = (std::max)(a, b), shorter = (std::min)(a, b);
  return longer > 0 ? longer * std::pow(1 + std::pow(shorter / longer, p), 1 / p) : 0;
}

}  // namespace heddle::inline HEDDLE_ABI::detail

#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "gemm/shapes.hpp"

// Products that nothing was tuned on.

namespace choose_bench {

using gemm_bench::shape;

/// Draws products of at most 3e12 operations: one of two has an extent below 1024, and one of three is ragged, the
/// others are of multiples of 64. The same seed gives the same products everywhere.
inline std::vector<shape> random_shapes(int count, unsigned seed) {
  std::mt19937_64 random(seed);
  const auto between = [&](double low, double high) {  // as even in its logarithm as the generator's upper bits
    const double even = static_cast<double>(random() >> 11) * 0x1p-53;
    return static_cast<int>(std::exp(std::log(low) + even * (std::log(high) - std::log(low))));
  };
  std::vector<shape> all;
  while (static_cast<int>(all.size()) < count) {
    const bool is_small = all.size() % 2 == 0, is_ragged = all.size() % 3 == 0;
    const auto extent = [&](int multiple) {
      return (between(is_small ? 32 : 1024, 18'000) + multiple - 1) / multiple * multiple;
    };
    const shape drawn = is_ragged ? shape{extent(1), extent(8), extent(8)} : shape{extent(64), extent(64), extent(64)};
    const double operations = 2.0 * drawn.m * drawn.n * drawn.k;
    const bool has_small = drawn.m < 1024 || drawn.n < 1024 || drawn.k < 1024;
    if (operations <= 3e12 && operations >= 1e8 && has_small == is_small) all.push_back(drawn);
  }
  return all;
}

}  // namespace choose_bench

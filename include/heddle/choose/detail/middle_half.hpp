#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// A mean, its standard error, and the degrees of freedom behind that error.
struct estimate {
  double mean = 0, error = 0;
  int freedom = 1;

  /// Returns how far from the mean the truth may be, for a normal quantile z: Student's quantile, to the first order.
  double reach(double z) const { return z * (1 + (z * z + 1) / (4 * freedom)) * error; }
};

/// Estimates the centre of the values by their middle half, so that outliers below a quarter on either side have no
/// weight. The standard error is that of Tukey and McLaughlin: winsorised variance over the share that is kept.
inline estimate middle_half(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t size = values.size(), cut = size / 4;
  if (size == 0) return {};
  const double count = static_cast<double>(size), kept = static_cast<double>(size - 2 * cut);
  double sum = 0, all = 0, squares = 0;
  const auto winsorised = [&](std::size_t i) { return values[std::clamp(i, cut, size - 1 - cut)]; };
  for (std::size_t i = cut; i < size - cut; ++i) sum += values[i];
  for (std::size_t i = 0; i < size; ++i) all += winsorised(i);
  for (std::size_t i = 0; i < size; ++i) squares += (winsorised(i) - all / count) * (winsorised(i) - all / count);
  const double variance = size > 1 ? squares / (count - 1) : 0;
  return {sum / kept, std::sqrt(variance / count) * count / kept,
          static_cast<int>((std::max<std::size_t>)(size - 2 * cut, 2) - 1)};
}

}}}  // namespace heddle::HEDDLE_ABI::detail

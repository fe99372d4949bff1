#pragma once

#include <algorithm>
#include <limits>

#include <heddle/invalid_argument.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// The finite values that a number may have.
struct limits {
  double least = 0, most = (std::numeric_limits<double>::max)();
  bool is_rate = false;  // 0, for unknown, or at least 1

  constexpr bool have(double value) const {
    return least <= value && value <= most && !(is_rate && 0 < value && value < 1);
  }
};
constexpr limits of_rate{.most = 1e18, .is_rate = true};  // per second

/// Refuses a number beyond its limits. The message has whole numbers.
[[noreturn]] inline void refuse_number(const char* name, double value, limits allowed) {
  if (!(value - value == 0)) refuse(name, " is not finite");
  value = std::clamp(value, -9e18, 9e18);
  const auto whole = static_cast<long long>(value);
  const auto part = static_cast<double>(whole) - value;
  if (value > allowed.most) refuse(name, whole + (part < 0 ? 1 : 0), "at most", static_cast<long long>(allowed.most));
  if (value > allowed.least) refuse(name, " is a fraction of 1; it must be 0 or at least 1");
  refuse(name, whole - (part > 0 ? 1 : 0), "at least", static_cast<long long>(allowed.least));
}

/// Refuses a rate that is neither 0, for unknown, nor from 1 to 10^18 per second.
constexpr void require_rate(const char* name, double value) {
  if (!of_rate.have(value)) refuse_number(name, value, of_rate);
}

}  // namespace heddle::inline HEDDLE_ABI::detail

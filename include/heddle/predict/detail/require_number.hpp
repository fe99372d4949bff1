#pragma once

#include <heddle/invalid_argument.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Refuses a number below the limit, and what is not a number. The message has whole numbers.
constexpr void require_number_at_least(int limit, const char* name, double value) {
  if (value >= limit) return;
  require_at_least(limit, name, value <= limit - 1 && value > -9e18 ? static_cast<long long>(value) : limit - 1);
}

/// Refuses a number above the limit, and what is not a number.
constexpr void require_number_at_most(int limit, const char* name, double value) {
  if (value <= limit) return;
  require_at_most(limit, name, value >= limit + 1 && value < 9e18 ? static_cast<long long>(value) : limit + 1);
}

}  // namespace heddle::inline HEDDLE_ABI::detail

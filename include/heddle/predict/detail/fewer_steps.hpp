#pragma once

#include <algorithm>

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns the size of a step that replaces `step`, so that a replay has at most 64 steps.
constexpr int merged_step(long long size, long long step) {
  const long long steps = (size + step - 1) / step, merged = (steps - 1) / 64 + 1;
  return static_cast<int>((std::min)(0x7fffffffLL, step * merged));
}

}  // namespace heddle::inline HEDDLE_ABI::detail

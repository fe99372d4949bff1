#pragma once

#include <algorithm>

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns the size of a step that replaces `step`, so that a replay of `tiles` tiles has at most 64 steps, and at most
/// 2^20 steps of all tiles together. A replay then takes milliseconds.
constexpr int merged_step(long long size, long long step, long long tiles) {
  const long long most = (std::min)(64LL, (std::max)(1LL, (1 << 20) / (std::max)(1LL, tiles)));
  const long long steps = (size + step - 1) / step, merged = (steps - 1) / most + 1;
  return static_cast<int>((std::min)(0x7fffffffLL, step * (std::max)(1LL, merged)));
}

}  // namespace heddle::inline HEDDLE_ABI::detail

#pragma once

#include <heddle/invalid_argument.hpp>

// Room for elements that have 32-bit numbers, in lists and in queues.

namespace heddle::inline HEDDLE_ABI::detail {

/// The most elements that a list has room for: a row of 64 that reaches past the last one still has 32-bit numbers.
inline constexpr long long most_items = 0xffffffffLL - 63;

/// A number of things as the messages of refusals take it: what has no such form is far beyond every limit.
HEDDLE_FN long long as_signed(unsigned long long count) {
  return count >> 63 == 0 ? static_cast<long long>(count) : 0x7fffffffffffffff;
}

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
/// Refuses blocks that are not whole warps.
inline void require_whole_warps(dim3 threads) {
  const unsigned in_block = threads.x * threads.y * threads.z;
  if (in_block % 32 != 0) refuse("heddle: threads of a block", in_block, "a multiple of", 32);
}
#endif

}  // namespace heddle::inline HEDDLE_ABI::detail

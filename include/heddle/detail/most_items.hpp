#pragma once

#include <heddle/invalid_argument.hpp>

// The largest room for elements with 32-bit numbers, in lists and in queues.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// The largest number of elements in a list. A row of 64 that extends past the last element still has 32-bit numbers.
inline constexpr long long most_items = 0xffffffffLL - 63;

/// Returns a count as the signed number that refusals print. A count too large for it is far beyond every limit.
HEDDLE_FN long long as_signed(unsigned long long count) {
  return count >> 63 == 0 ? static_cast<long long>(count) : 0x7fffffffffffffff;
}

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
/// Refuses a number of threads that is not a multiple of 32.
inline void require_whole_warps(dim3 threads) {
  const unsigned in_block = threads.x * threads.y * threads.z;
  if (in_block % 32 != 0) refuse("heddle: threads of a block", in_block, "a multiple of", 32);
}
#endif

}}}  // namespace heddle::HEDDLE_ABI::detail

#pragma once

#include <heddle/detail/warp.hpp>
#include <heddle/expand/detail/ptx.hpp>

#if defined(__CUDACC__)

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::warp {

/// Returns whether this is the last thread of its warp. The last warp of a block may have fewer than 32 threads.
HEDDLE_DEVICE inline bool is_last() {
  return lane() == 31 || thread() + 1 == threads_in_block();
}
HEDDLE_DEVICE inline int last_lane() {
  const unsigned left = threads_in_block() - thread() / 32 * 32;
  return left < 32 ? static_cast<int>(left) - 1 : 31;
}

/// Returns in all of these lanes what `take` returns in one of them, which alone calls it.
template <class Take>
HEDDLE_DEVICE auto by_one(unsigned lanes, int one, Take take) {
  decltype(take()) taken = 0;
  if (static_cast<int>(lane()) == one) taken = take();
  return __shfl_sync(lanes, taken, one);
}

/// Returns `inclusive_sum` over any set of lanes, by pointer jumping: from each lane to the nearest lower lane of the
/// set.
HEDDLE_DEVICE inline unsigned long long inclusive_sum_of_some(unsigned lanes, unsigned long long value) {
  int from = 31 - __clz(static_cast<int>(lanes & ptx::lanemask_lt()));  // -1: none
  while (__any_sync(lanes, from >= 0)) {
    const int at = from < 0 ? static_cast<int>(lane()) : from;
    const unsigned long long before = __shfl_sync(lanes, value, at);
    const int next = __shfl_sync(lanes, from, at);
    if (from >= 0) value += before;
    if (from >= 0) from = next;
  }
  return value;
}

}}}  // namespace heddle::HEDDLE_ABI::detail::warp

#endif

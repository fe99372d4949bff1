#pragma once

#include <heddle/detail/ptx.hpp>

#if defined(__CUDACC__)

// What the threads of a warp find out together.

namespace heddle::inline HEDDLE_ABI::detail::warp {

inline constexpr unsigned all = ~0u;

/// Of this thread in its block, whatever the block's shape: warps are 32 of these.
HEDDLE_DEVICE inline unsigned thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

HEDDLE_DEVICE inline unsigned threads_in_block() {
  return blockDim.x * blockDim.y * blockDim.z;
}

HEDDLE_DEVICE inline unsigned lane() {
  return ptx::laneid();
}

/// The lanes below this one.
HEDDLE_DEVICE inline unsigned below() {
  return ptx::lanemask_lt();
}

/// The last thread of this warp that there is: the last warp of a block may have fewer.
HEDDLE_DEVICE inline bool is_last() {
  return lane() == 31 || thread() + 1 == threads_in_block();
}
HEDDLE_DEVICE inline int last_lane() {
  const unsigned left = threads_in_block() - thread() / 32 * 32;
  return left < 32 ? static_cast<int>(left) - 1 : 31;
}

/// Of each lane, the sum of those before it and its own. For all lanes that there are: a mask that the compiler does
/// not know costs a MATCH for each use, and doubled the time of a push.
template <class Word>
HEDDLE_DEVICE Word inclusive_sum(Word value) {
#pragma unroll
  for (unsigned step = 1; step < 32; step *= 2) {
    const Word before = __shfl_up_sync(all, value, step);
    if (lane() >= step) value += before;
  }
  return value;
}

/// The same for lanes that are no run from 0: each adds up through the nearest of them before it.
HEDDLE_DEVICE inline unsigned long long inclusive_sum_of_some(unsigned lanes, unsigned long long value) {
  int from = 31 - __clz(static_cast<int>(lanes & below()));  // -1 is none
  while (__any_sync(lanes, from >= 0)) {
    const int at = from < 0 ? static_cast<int>(lane()) : from;
    const unsigned long long before = __shfl_sync(lanes, value, at);
    const int next = __shfl_sync(lanes, from, at);
    if (from >= 0) value += before;
    if (from >= 0) from = next;
  }
  return value;
}

}  // namespace heddle::inline HEDDLE_ABI::detail::warp

#endif

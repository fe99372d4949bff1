#pragma once

#include <heddle/detail/ptx.hpp>

#if defined(__CUDACC__)

// Functions that the threads of a warp call together, and their numbers.

namespace heddle::inline HEDDLE_ABI::detail::warp {

inline constexpr unsigned all = ~0u;

/// Returns the number of this thread in a block of any shape. 32 consecutive numbers are a warp.
HEDDLE_DEVICE inline unsigned thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

HEDDLE_DEVICE inline unsigned threads_in_block() {
  return blockDim.x * blockDim.y * blockDim.z;
}

HEDDLE_DEVICE inline unsigned lane() {
  return ptx::laneid();
}

/// Returns the mask of the lanes below this one.
HEDDLE_DEVICE inline unsigned below() {
  return ptx::lanemask_lt();
}

/// Returns whether this is the last thread of its warp. The last warp of a block may have fewer than 32 threads.
HEDDLE_DEVICE inline bool is_last() {
  return lane() == 31 || thread() + 1 == threads_in_block();
}
HEDDLE_DEVICE inline int last_lane() {
  const unsigned left = threads_in_block() - thread() / 32 * 32;
  return left < 32 ? static_cast<int>(left) - 1 : 31;
}

/// Returns per lane the sum of the values of the lanes up to and including this one. All lanes that exist must call
/// it: a mask unknown to the compiler costs a MATCH per use, and doubled the time of a push. If the sums of the first
/// `count` lanes alone are needed, it takes fewer steps.
template <class Word>
HEDDLE_DEVICE Word inclusive_sum(Word value, unsigned count = 32) {
#pragma unroll
  for (unsigned step = 1; step < 32; step *= 2) {
    if (step < count) {
      const Word before = __shfl_up_sync(all, value, step);
      if (lane() >= step) value += before;
    }
  }
  return value;
}

/// Returns the sum of the values of all 32 lanes.
HEDDLE_DEVICE inline int sum(int value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  return __reduce_add_sync(all, value);
#else
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(all, value, step);
  return value;
#endif
}

/// Returns the largest of the values of all 32 lanes.
HEDDLE_DEVICE inline int largest(int value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  return __reduce_max_sync(all, value);
#else
  for (int step = 16; step > 0; step /= 2) {
    const int other = __shfl_xor_sync(all, value, step);
    value = value > other ? value : other;
  }
  return value;
#endif
}

/// Returns the same sum over any set of lanes, by pointer jumping: from each lane to the nearest lower lane of the set.
HEDDLE_DEVICE inline unsigned long long inclusive_sum_of_some(unsigned lanes, unsigned long long value) {
  int from = 31 - __clz(static_cast<int>(lanes & below()));  // -1: none
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

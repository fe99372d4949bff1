#pragma once

#include <heddle/detail/ptx.hpp>

#if defined(__CUDACC__)

// Functions that the threads of a warp call together, and their numbers.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::warp {

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

}}}  // namespace heddle::HEDDLE_ABI::detail::warp

#endif

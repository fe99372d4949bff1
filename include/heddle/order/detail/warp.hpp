#pragma once

#include <heddle/detail/warp.hpp>

#if defined(__CUDACC__)

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::warp {

/// Returns the sum of the values of all 32 lanes, or the largest of them.
template <bool IsLargest = false>
HEDDLE_DEVICE int sum(int value) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  return IsLargest ? __reduce_max_sync(all, value) : __reduce_add_sync(all, value);
#else
  for (int step = 16; step > 0; step /= 2) {
    const int other = __shfl_xor_sync(all, value, step);
    value = !IsLargest ? value + other : value > other ? value : other;
  }
  return value;
#endif
}

}}}  // namespace heddle::HEDDLE_ABI::detail::warp

#endif

#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

// Elements of two bytes, __nv_bfloat16 or __half, of which a register has two.

namespace hopper {

/// The extent along which a matrix is contiguous: k, or the rows of A (the columns of B).
enum class major { k, mn };

template <class Element>
__device__ unsigned pack(float low, float high) {
  if constexpr (std::is_same_v<Element, __nv_bfloat16>) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return reinterpret_cast<const unsigned&>(pair);
  } else {
    const __half2 pair = __floats2half2_rn(low, high);
    return reinterpret_cast<const unsigned&>(pair);
  }
}

template <class Element>
__device__ float2 unpack(unsigned pair) {
  if constexpr (std::is_same_v<Element, __nv_bfloat16>) {
    return __bfloat1622float2(reinterpret_cast<const __nv_bfloat162&>(pair));
  } else {
    return __half22float2(reinterpret_cast<const __half2&>(pair));
  }
}

}  // namespace hopper

#pragma once

// Elements of two bytes as tests/simt.hpp runs kernels: they all are bf16.

#include <bit>

#include "cuda.h"

struct __nv_bfloat16 {
  std::uint16_t bits = 0;

  __nv_bfloat16() = default;
  explicit __nv_bfloat16(float value) {  // rounded to the nearest, to even
    const auto word = std::bit_cast<std::uint32_t>(value);
    bits = static_cast<std::uint16_t>((word + 0x7fff + (word >> 16 & 1)) >> 16);
  }
  explicit operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};
struct __nv_bfloat162 {
  __nv_bfloat16 x, y;
};
using __half = __nv_bfloat16;
using __half2 = __nv_bfloat162;
inline __nv_bfloat162 __floats2bfloat162_rn(float low, float high) {
  return {__nv_bfloat16(low), __nv_bfloat16(high)};
}
inline float2 __bfloat1622float2(__nv_bfloat162 pair) {
  return {static_cast<float>(pair.x), static_cast<float>(pair.y)};
}
inline constexpr auto __floats2half2_rn = __floats2bfloat162_rn;
inline constexpr auto __half22float2 = __bfloat1622float2;

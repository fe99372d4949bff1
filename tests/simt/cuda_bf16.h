#pragma once

// Elements of two bytes as tests/simt.hpp runs kernels. Both types have the bits of bf16: tests tell them by their type.

#include <bit>
#include <cstdint>

namespace simt {

template <int>
struct half_word {
  std::uint16_t bits = 0;

  half_word() = default;
  explicit half_word(float value) {  // rounded to the nearest, to even
    const auto word = std::bit_cast<std::uint32_t>(value);
    bits = static_cast<std::uint16_t>((word + 0x7fff + (word >> 16 & 1)) >> 16);
  }
  explicit operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

template <int Type>
struct half_words {
  half_word<Type> x, y;
};

}  // namespace simt

struct float2 {
  float x, y;
};
struct float4 {
  float x, y, z, w;
};
struct uint4 {
  unsigned x, y, z, w;
};
inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}

using __nv_bfloat16 = simt::half_word<0>;
using __nv_bfloat162 = simt::half_words<0>;
using __half = simt::half_word<1>;
using __half2 = simt::half_words<1>;
inline __nv_bfloat162 __floats2bfloat162_rn(float low, float high) {
  return {__nv_bfloat16(low), __nv_bfloat16(high)};
}
inline __half2 __floats2half2_rn(float low, float high) {
  return {__half(low), __half(high)};
}
inline float2 __bfloat1622float2(__nv_bfloat162 pair) {
  return {static_cast<float>(pair.x), static_cast<float>(pair.y)};
}
inline float2 __half22float2(__half2 pair) {
  return {static_cast<float>(pair.x), static_cast<float>(pair.y)};
}

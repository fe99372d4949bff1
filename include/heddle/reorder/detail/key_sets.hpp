#pragma once

#include <heddle/detail/warp.hpp>

namespace heddle::inline HEDDLE_ABI::detail::reorder {

/// The set of keys of each warp of a block, one bit per key. More than 32 keys are several parts of 32.
template <unsigned Warps, int Bits>
struct key_sets {
  static constexpr unsigned keys = 1u << Bits, parts = (keys + 31) / 32;
  static constexpr unsigned bytes_of_part = Bits <= 3 ? 1 : Bits == 4 ? 2 : 4;
  static constexpr unsigned words_of_part = (Warps * bytes_of_part + 3) / 4;

  alignas(16) unsigned words[parts][words_of_part];

#if defined(__CUDACC__)
  /// Stores a part of a warp's set. One thread of the warp calls it.
  HEDDLE_DEVICE void put(unsigned warp, unsigned part, unsigned set) {
    auto* const bytes = reinterpret_cast<unsigned char*>(words[part]) + warp * bytes_of_part;
    if constexpr (bytes_of_part == 1) *bytes = static_cast<unsigned char>(set);
    if constexpr (bytes_of_part == 2) *reinterpret_cast<unsigned short*>(bytes) = static_cast<unsigned short>(set);
    if constexpr (bytes_of_part == 4) *reinterpret_cast<unsigned*>(bytes) = set;
  }

  /// Returns the number of distinct keys in the block.
  HEDDLE_DEVICE unsigned count() const {
    unsigned count = 0;
#pragma unroll
    for (unsigned part = 0; part < parts; ++part) {
      unsigned set = 0;
#pragma unroll
      for (unsigned word = 0; word < words_of_part; ++word) {
        const unsigned behind = (word + 1) * 4 - Warps * bytes_of_part;  // bytes of this word after the last warp
        set |= behind < 4 ? words[part][word] & ~0u >> behind * 8 : words[part][word];
      }
#pragma unroll
      for (unsigned half = 16; half >= 8 * bytes_of_part; half /= 2) set |= set >> half;
      count += static_cast<unsigned>(__popc(keys < 32 ? set & ((1u << keys % 32) - 1) : set));
    }
    return count;
  }
#endif
};

}  // namespace heddle::inline HEDDLE_ABI::detail::reorder

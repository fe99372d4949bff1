#pragma once

#include <heddle/expand/item.hpp>

// What a contestant does with an item.

namespace heddle_bench {

enum class consumer { store, gather, null };

constexpr unsigned table_size = 1 << 24;

/// Returns a pseudorandom place in the table, so that neighbouring items read places far apart, in whatever order they
/// come.
inline __device__ unsigned somewhere(heddle::item each) {
  unsigned word = each.source * 0x9e3779b1u ^ each.rank;
  for (const unsigned factor : {0x85ebca6bu, 0xc2b2ae35u}) {
    word ^= word >> 15;
    word *= factor;
  }
  return (word ^ word >> 14) % table_size;
}

template <consumer Consumer>
struct use {
  heddle::item* out;
  const heddle::item* table;  // 128 MB of zeros

  __device__ void operator()(unsigned slot, heddle::item each) const {
    if constexpr (Consumer == consumer::gather) {
      const heddle::item found = table[somewhere(each)];
      each = {each.source + found.source, each.rank + found.rank};  // adds zeros
    }
    if (Consumer != consumer::null || each.source == ~0u) out[slot] = each;
  }
};

}  // namespace heddle_bench

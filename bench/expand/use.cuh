#pragma once

#include <heddle/expand/item.hpp>

// What is done with an item.

namespace heddle_bench {

enum class consumer { store, gather, null };

constexpr unsigned table_size = 1 << 24;

template <consumer Consumer>
struct use {
  heddle::item* out;
  const heddle::item* table;  // 128 MB

  __device__ void operator()(unsigned slot, heddle::item each) const {
    if constexpr (Consumer == consumer::gather) {
      const heddle::item found = table[((each.source * 2654435761u) ^ (each.rank * 40503u)) % table_size];
      each = {each.source + found.source, each.rank + found.rank};  // of zeros
    }
    if (Consumer != consumer::null || each.source == ~0u) out[slot] = each;
  }
};

}  // namespace heddle_bench

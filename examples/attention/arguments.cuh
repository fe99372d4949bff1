#pragma once

#include <type_traits>

#include <heddle/order/groups.hpp>

#include "problem.hpp"

namespace attention {

/// What kernels get: operands and the numbers of a problem.
struct arguments : operands {
  long long tokens;   // of queries, of all sequences
  int queries, keys;  // of each sequence; of packed sequences together
  int heads, key_heads;
  float scale;  // times the logarithm of e to the base 2
  int left, right;
};

inline arguments make_arguments(const problem& p, const operands& o, bool is_packed) {
  constexpr float log2_of_e = 1.44269504f;
  const auto as_int = [](long long value) { return static_cast<int>(value); };
  return {o,
          is_packed ? p.queries : p.queries * p.sequences,
          as_int(p.queries),
          as_int(p.keys),
          as_int(p.heads),
          as_int(p.key_heads),
          p.scale * log2_of_e,
          p.left,
          p.right};
}

/// What a tile needs of its sequence.
struct sequence {
  int first_query, queries, first_key, keys;  // tokens
  int head;

  /// Returns the key beside a query. It may be negative.
  __device__ int beside(int query) const { return keys - queries + query; }
  /// Returns the first and the last key that a query sees. The last one is before the first if it sees none. Of
  /// `a > b ? a - b : 0` nvcc 13.0 makes the maximum of 0 and a difference that may wrap; this one cannot.
  __device__ int first_seen(int query, int left) const {
    const int first = beside(query) - (left < keys ? left : keys);
    return first > 0 ? first : 0;
  }
  __device__ int last_seen(int query, int right) const {
    return right < queries - 1 - query ? beside(query) + right : keys - 1;
  }
};

template <class Order, class Tile>
__device__ sequence sequence_of(const Order& order, Tile tile, const arguments& of) {
  if constexpr (std::is_same_v<Tile, heddle::group_coord>) {
    const auto [begin, end] = order.space().rows_of(tile.group);
    const int first = of.key_offsets[tile.group], last = of.key_offsets[tile.group + 1];
    const bool is_right = 0 <= first && first <= last && last <= of.keys;  // others have no keys
    return {begin, end - begin, is_right ? first : 0, is_right ? last - first : 0, tile.col};
  } else {
    const int number = tile.col / of.heads;
    return {number * of.queries, of.queries, number * of.keys, of.keys, tile.col - number * of.heads};
  }
}

}  // namespace attention

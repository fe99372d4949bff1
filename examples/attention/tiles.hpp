#pragma once

#include <type_traits>

#include <heddle/order/groups.hpp>

#include "problem.hpp"

namespace attention {

/// The tiles of a kernel that makes so many queries of a head at a time.
template <int TileQueries>
struct tiles_of_queries {
  /// Returns the tiles of sequences of the same lengths: a row per tile of queries, a column per head.
  static heddle::extent tiles(const problem& p) {
    return {(p.queries + TileQueries - 1) / TileQueries, p.heads * p.sequences};
  }
  /// Returns the groups of packed sequences: a column per head.
  static heddle::group_shape groups(const problem& p) { return {p.queries, p.sequences, TileQueries, p.heads}; }
};

/// Whether a scheduler walks packed sequences.
template <class Scheduler>
inline constexpr bool is_packed =
    std::is_same_v<decltype(std::declval<const Scheduler&>().order()(0)), heddle::group_coord>;

}  // namespace attention

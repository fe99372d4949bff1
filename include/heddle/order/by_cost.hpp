#pragma once

#include <heddle/order/detail/heaviest_first.hpp>
#include <heddle/order/tile_table.hpp>

#if !defined(__CUDACC_RTC__)

namespace heddle { inline namespace HEDDLE_ABI {

/// Fills the table of an order in which costly tiles come first, within sections of `section` consecutive tiles.
///
///   costs along the order             1 2 3 4 1 2 3 4
///   costs along by_cost, sections of 4    4 3 2 1 4 3 2 1
///
/// Blocks that draw tiles end together if the last tiles are short. Sections keep what runs at once in one part of the
/// order, so that its data stay in L2. Tiles of equal cost keep their order.
///
/// **Preconditions**: `cost(tile)` returns a number, not NaN, and always the same for the same tile.
/// **Effects**: calls `cost` once for each tile, on the host.
/// **Example** (tests/order/spaces.cpp):
///
///     const tile_table::entries entries = by_cost(base, cost, section);
///     const tile_table order{grid, entries.data()};
template <space_order Order, class Cost>
tile_table::entries by_cost(const Order& order, Cost cost, long long section = 0x7fffffff) {
  detail::require_at_least(1, "heddle::by_cost: section", section);
  tile_table::entries table = make_tile_table(order);
  const int size = table.size();
  detail::order::heaviest_first<double> costs(size);
  for (int i = 0; i < size; ++i) {
    costs[i] = {static_cast<double>(cost(order(i))), table.data()[i].tile};
    if (!(costs[i].weight == costs[i].weight))
      detail::refuse("heddle::by_cost", ": the cost of a tile is not a number");
  }
  for (long long first = 0; first < size; first += section) {
    costs.sort(static_cast<int>(first), static_cast<int>(first + section < size ? first + section : size));
  }
  for (int i = 0; i < size; ++i) {
    table.data()[i].tile = costs[i].number;
    table.data()[costs[i].number].index = i;
  }
  return table;
}

}}  // namespace heddle::HEDDLE_ABI

#endif

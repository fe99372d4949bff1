#pragma once

#include <heddle/order/tile_table.hpp>

#if !defined(__CUDACC_RTC__)

namespace heddle::inline HEDDLE_ABI {

namespace detail::order {

/// A tile and what it costs.
struct costly {
  double cost;
  int tile;
};

/// Two arrays of them.
struct costs {
  costly *const first, *const second;

  explicit costs(int size) : first(new costly[2 * static_cast<unsigned long long>(size) + 1]), second(first + size) {}
  costs(const costs&) = delete;
  ~costs() { delete[] first; }
};

/// Merges two sorted halves of `from` into `to`, the costlier tiles first. Equal ones keep their order.
inline void merge(const costly* from, costly* to, int begin, int middle, int end) {
  for (int at = begin, left = begin, right = middle; at < end; ++at) {
    const bool takes_right = left == middle || (right < end && from[right].cost > from[left].cost);
    to[at] = from[takes_right ? right++ : left++];
  }
}

}  // namespace detail::order

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
  const detail::order::costs both(size);
  detail::order::costly *from = both.first, *to = both.second;
  for (int i = 0; i < size; ++i) {
    from[i] = {cost(order(i)), table.data()[i].tile};
    if (!(from[i].cost == from[i].cost)) detail::refuse("heddle::by_cost", ": the cost of a tile is not a number");
  }
  for (long long width = 1; width < size && width < section; width *= 2) {
    for (long long begin_of_section = 0; begin_of_section < size; begin_of_section += section) {
      const long long end_of_section = begin_of_section + section < size ? begin_of_section + section : size;
      for (long long begin = begin_of_section; begin < end_of_section; begin += 2 * width) {
        const auto within = [&](long long at) { return static_cast<int>(at < end_of_section ? at : end_of_section); };
        detail::order::merge(from, to, static_cast<int>(begin), within(begin + width), within(begin + 2 * width));
      }
    }
    detail::order::costly* const sorted = to;
    to = from;
    from = sorted;
  }
  for (int i = 0; i < size; ++i) {
    table.data()[i].tile = from[i].tile;
    table.data()[from[i].tile].index = i;
  }
  return table;
}

}  // namespace heddle::inline HEDDLE_ABI

#endif

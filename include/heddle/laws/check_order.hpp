#pragma once

#include <concepts>
#include <random>
#include <type_traits>
#include <utility>

#include <heddle/concepts.hpp>
#include <heddle/laws/verdict.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace laws {

/// Returns the distance from one tile to another: rows plus columns.
constexpr long long step_length(coord a, coord b) {
  const long long rows = 1LL * b.row - a.row, cols = 1LL * b.col - a.col;
  return (rows < 0 ? -rows : rows) + (cols < 0 ? -cols : cols);
}

namespace detail {

template <class Result>
concept gives_integer = std::integral<std::remove_cvref_t<Result>>;

}  // namespace detail

/// Requires `longest_step()`: an integer of any type that no distance between consecutive tiles exceeds.
template <class Order>
concept bounds_its_steps = requires(const Order& order, int i) {
  { order.longest_step() } -> detail::gives_integer;
  { order(i) } -> heddle::detail::gives<coord>;
};

namespace detail {

/// Refuses an order with a `space()` or a `longest_step()` that the checkers would otherwise skip.
template <class Order>
constexpr void require_known_promises() {
  static_assert(
      names_space<Order> || !requires(Order & order) { order.space(); },
      "heddle::laws: this order has a space(), which must be const and return a heddle::tile_space with the "
      "order's tiles. If it means something else, rename it");
  static_assert(
      bounds_its_steps<Order> || !requires(Order & order) { order.longest_step(); },
      "heddle::laws: this order has a longest_step(), which must be const and return an integer, and the tiles must be "
      "heddle::coord. If it means something else, rename it");
}

}  // namespace detail

/// Checks the law at one index: the tile lies in the space, and `index` returns the index.
template <tile_order Order>
verdict check_index(const Order& order, int i) {
  detail::require_known_promises<Order>();
  const tile_of<Order> tile = order(i);
  if constexpr (grid_order<Order>) {
    if (!order.space().contains(tile)) {
      return failed("order(", i, ") is ", tile, ", outside the grid of ", order.space());
    }
  } else if constexpr (space_order<Order>) {
    if (!order.space().contains(tile)) return failed("order(", i, ") is ", tile, ", outside the space");
  }
  if (const int back = order.index(tile); back != i) {
    return failed("order(", i, ") is ", tile, ", but index(", tile, ") is ", back);
  }
  return {};
}

/// Checks the law of the size: it is the number of tiles of the grid, or of the space.
template <tile_order Order>
verdict check_size(const Order& order) {
  detail::require_known_promises<Order>();
  const int size = order.size();
  if (size < 0) return failed("size() is ", size);
  if constexpr (grid_order<Order>) {
    const extent grid = order.space();
    if (size != grid.size()) {
      return failed("size() is ", size, " on a grid of ", grid, ", which has ", grid.size(), " tiles");
    }
  } else if constexpr (space_order<Order>) {
    const int tiles = order.space().size();
    if (size != tiles) return failed("size() is ", size, " of a space of ", tiles, " tiles");
  }
  return {};
}

/// Checks the law of orders at every index: the order visits each tile of its space exactly once, and `index` is the
/// inverse. If the order has a `longest_step()`, no step is longer.
///
/// An order without `space()` is checked for everything but the shape that it covers.
///
/// **Example** (examples/01_order/own_order.cpp):
///
///     for (int rows = 0; rows <= 20; ++rows) {
///     for (int cols = 0; cols <= 20; ++cols) {
///     const boustrophedon order{heddle::extent{rows, cols}};
///     if (const auto verdict = heddle::laws::check_order(order); !verdict) {
template <tile_order Order>
verdict check_order(const Order& order) {
  if (verdict of_size = check_size(order); !of_size) return of_size;
  const int size = order.size();
  // If `index` is an inverse, no tile occurs twice; and of size() different tiles on the grid none is missing.
  for (int i = 0; i < size; ++i) {
    if (verdict at_i = check_index(order, i); !at_i) return at_i;
  }
  if constexpr (bounds_its_steps<Order>) {
    for (int i = 1; i < size; ++i) {
      const coord from = order(i - 1), to = order(i);
      if (const long long length = step_length(from, to); std::cmp_greater(length, +order.longest_step())) {
        return failed("the step from order(", i - 1, ") ", from, " to order(", i, ") ", to, " is ", length,
                      " long, more than longest_step(), ", order.longest_step());
      }
    }
  }
  return {};
}

/// Checks the law of orders at `probes` random indices and at both ends, for grids too large to walk.
///
/// **Effects**: if the order names its space, probes as many random tiles too.
/// **Example** (tests/laws/laws.cpp):
///
///     CHECK(laws::probe_order(hilbert{{32768, 65535}}, 1000, 1).failure == "");
template <tile_order Order>
verdict probe_order(const Order& order, int probes, unsigned seed) {
  if (verdict of_size = check_size(order); !of_size) return of_size;
  const int size = order.size();
  if (size == 0) return {};
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> any(0, size - 1);
  for (int probe = -2; probe < probes; ++probe) {
    const int i = probe == -2 ? 0 : probe == -1 ? size - 1 : any(random);
    if (verdict at_i = check_index(order, i); !at_i) return at_i;
  }
  if constexpr (space_order<Order>) {
    const auto space = order.space();
    for (int probe = 0; probe < probes; ++probe) {
      const tile_of<Order> tile = space.tile(any(random));
      const int i = order.index(tile);
      if (i < 0 || i >= size) return failed("index(", tile, ") is ", i, ", of a size() of ", size);
      if (const tile_of<Order> back = order(i); !(back == tile)) {
        return failed("index(", tile, ") is ", i, ", but order(", i, ") is ", back);
      }
    }
  }
  return {};
}

}}}  // namespace heddle::HEDDLE_ABI::laws

#pragma once

#include <heddle/concepts.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Walks another order from its end to its beginning.
///
///   reversed{row_major{{2, 3}}}      5 4 3
///                                    2 1 0
///
/// **Preconditions**: those of the order inside.
/// **Cost**: one subtraction per tile more than the order inside, whose size is a product; no memory of its own.
/// **Example** (tests/order/readme.cpp):
///
///     constexpr reversed backwards{row_major{{2, 3}}};
///     static_assert(backwards(0) == coord{1, 2});
template <tile_order Order>
class reversed {
  static_assert(detail::are_tiles<Order>());

 public:
  /// Reverses an order.
  HEDDLE_HOST explicit reversed(Order order) : order_(order) {}

  /// Returns the space that the order covers.
  HEDDLE_FN auto space() const requires space_order<Order> { return order_.space(); }
  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return order_.size(); }

  /// Returns a bound of the number of tiles, if only the device knows it.
  HEDDLE_FN int most_tiles() const requires bounds_tiles<Order> { return order_.most_tiles(); }

  /// Returns the i-th tile, counted from the end.
  HEDDLE_FN tile_of<Order> operator()(int i) const { return order_(size() - 1 - i); }
  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(tile_of<Order> tile) const { return size() - 1 - order_.index(tile); }

 private:
  Order order_;
};

template <class Order>
reversed(Order) -> reversed<detail::as_tile_order<Order>>;

/// Makes reversed{reversed{order}} reverse twice. Without this guide it would be a copy of the inner one; `auto` makes
/// copies.
template <tile_order Order>
reversed(reversed<Order>) -> reversed<reversed<Order>>;

}}  // namespace heddle::HEDDLE_ABI

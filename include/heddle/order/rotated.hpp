#pragma once

#include <heddle/concepts.hpp>
#include <heddle/invalid_argument.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Begins another order at a later tile, and ends with the tiles before it.
///
///   rotated{row_major{{2, 3}}, 4}      2 3 4
///                                      5 0 1
///
/// For work whose input still arrives: each GPU begins with the tiles that read what it has, and the others follow in
/// the order in which they arrive.
///
/// **Preconditions**: those of the order inside; `first` is from 0 to the order's size. An order whose size only the
/// device knows is refused at compile time.
/// **Cost**: one addition and one comparison per tile more than the order inside, whose size is a product; 4 bytes of
/// kernel argument, rounded up to the order's alignment (bands: 16).
/// **Example** (tests/order/readme.cpp):
///
///     constexpr rotated later{row_major{{2, 3}}, 4};
///     static_assert(later(0) == coord{1, 1} && later(2) == coord{0, 0});
template <tile_order Order>
requires(!bounds_tiles<Order>) class rotated {
  static_assert(detail::are_tiles<Order>());

 public:
  /// Rotates an order, so that its tile at the place `first` is the first.
  HEDDLE_HOST rotated(Order order, long long first)
      : order_(order), first_(detail::require_int_at_least(0, "heddle::rotated: first", first)) {
    detail::require_at_most(order.size(), "heddle::rotated: first", first);
  }

  /// Returns the space that the order covers.
  HEDDLE_FN auto space() const requires space_order<Order> { return order_.space(); }
  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return order_.size(); }

  /// Returns the i-th tile.
  HEDDLE_FN tile_of<Order> operator()(int i) const { return order_(place(i)); }
  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(tile_of<Order> tile) const {
    const int after_first = order_.index(tile) - first_;
    return after_first < 0 ? after_first + size() : after_first;
  }

 private:
  HEDDLE_FN int place(int i) const {
    const unsigned from_first = static_cast<unsigned>(i) + static_cast<unsigned>(first_);  // up to 2^32 - 2
    const auto all = static_cast<unsigned>(size());
    return static_cast<int>(from_first < all ? from_first : from_first - all);
  }

  Order order_;
  int first_;
};

template <class Order>
rotated(Order, long long) -> rotated<detail::as_tile_order<Order>>;

}}  // namespace heddle::HEDDLE_ABI

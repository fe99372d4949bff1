#pragma once

#include <heddle/concepts.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Transposes another order: its rows become columns.
///
///   transposed{row_major{{2, 3}}}      0 3
///                                      1 4
///                                      2 5
///
/// **Preconditions**: those of the order inside.
/// **Cost**: no arithmetic beyond the order inside; 12 bytes of kernel argument or 16, for the transposed grid.
/// **Example** (tests/order/readme.cpp):
///
///     constexpr transposed turned{row_major{{2, 3}}};
///     static_assert(turned.space() == extent{3, 2} && turned(3) == coord{0, 1});
template <space_order Order>
class transposed {
  using space_type = space_of<Order>;
  static_assert(detail::are_tiles<Order>());
  static_assert(detail::turns<space_type>,
                "heddle::transposed: tiles of this order's space have no row and column to swap");

 public:
  /// Transposes an order.
  HEDDLE_HOST explicit transposed(Order order) : order_(order), space_(order.space().transposed()) {}

  /// Returns the transposed space.
  HEDDLE_FN const space_type& space() const { return space_; }
  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return order_.size(); }

  /// Returns the i-th tile, transposed.
  HEDDLE_FN tile_of<Order> operator()(int i) const { return across(order_(i)); }

  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(tile_of<Order> tile) const { return order_.index(across(tile)); }

 private:
  HEDDLE_FN static tile_of<Order> across(tile_of<Order> tile) {
    const int row = tile.row;
    tile.row = tile.col;
    tile.col = row;
    return tile;
  }

  Order order_;
  space_type space_;
};

template <class Order>
transposed(Order) -> transposed<detail::as_space_order<Order>>;

/// Makes transposed{transposed{order}} transpose twice. Without this guide it would be a copy of the inner one; `auto`
/// makes copies.
template <space_order Order>
transposed(transposed<Order>) -> transposed<transposed<Order>>;

}}  // namespace heddle::HEDDLE_ABI

#pragma once

#include <heddle/concepts.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail::order {

struct no_tiles {};

/// The tiles of an order of clusters, transposed.
template <class Order>
HEDDLE_HOST auto turned_tiles(const Order& order) {
  if constexpr (cluster_order<Order>) {
    return order.tiles().transposed();
  } else {
    return no_tiles{};
  }
}

}  // namespace detail::order

/// Transposes another order: its rows become columns.
///
///   transposed{row_major{{2, 3}}}      0 3
///                                      1 4
///                                      2 5
///
/// Over an order of clusters it transposes the tiles within a cluster too: a cluster of 2 x 1 blocks becomes one of
/// 1 x 2.
///
/// **Preconditions**: those of the order inside.
/// **Cost**: no arithmetic beyond the order inside; 12 bytes of kernel argument or 16, for the transposed grid.
/// **Example** (tests/order/readme.cpp):
///
///     constexpr transposed turned{row_major{{2, 3}}};
///     static_assert(turned.grid() == extent{3, 2} && turned(3) == coord{0, 1});
template <space_order Order>
class transposed {
  using space_type = decltype(space_of(detail::any<Order>()));
  using tiles_type = decltype(detail::order::turned_tiles(detail::any<Order>()));
  static_assert(detail::turns<space_type>,
                "heddle::transposed: tiles of this order's space have no row and column to swap");

 public:
  /// Transposes an order.
  HEDDLE_HOST explicit transposed(Order order)
      : order_(order), space_(space_of(order).transposed()), tiles_(detail::order::turned_tiles(order)) {}

  /// Returns the transposed grid: of tiles, or of clusters.
  HEDDLE_FN extent grid() const requires grid_order<Order> { return space_; }
  /// Returns the transposed space, if it is not a grid.
  HEDDLE_FN const space_type& space() const requires names_space<Order> { return space_; }
  /// Returns the number of tiles, or of clusters.
  HEDDLE_FN int size() const { return order_.size(); }

  /// Returns the i-th tile, transposed.
  HEDDLE_FN tile_of<Order> operator()(int i) const { return across(order_(i)); }

  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(tile_of<Order> tile) const { return order_.index(across(tile)); }

  /// Returns the space of tiles that the clusters cover.
  HEDDLE_FN const tiles_type& tiles() const requires cluster_order<Order> { return tiles_; }
  /// Returns the number of blocks in a cluster.
  HEDDLE_FN int blocks_in_cluster() const requires cluster_order<Order> { return order_.blocks_in_cluster(); }
  /// Returns the tile of a block, by the index of its cluster and its rank in the cluster.
  HEDDLE_FN tile_of<Order> tile(int cluster, int block_in_cluster) const requires cluster_order<Order> {
    return across(order_.tile(cluster, block_in_cluster));
  }
  /// Returns false for a tile outside the space of tiles.
  HEDDLE_FN bool contains(tile_of<Order> tile) const requires cluster_order<Order> {
    return order_.contains(across(tile));
  }

 private:
  HEDDLE_FN static tile_of<Order> across(tile_of<Order> tile) {
    const int row = tile.row;
    tile.row = tile.col;
    tile.col = row;
    return tile;
  }

  Order order_;
  space_type space_;
  tiles_type tiles_;  // with an address of its own: g++ and nvcc would lay out one without differently
};

template <class Order>
transposed(Order) -> transposed<detail::as_space_order<Order>>;

/// Makes transposed{transposed{order}} transpose twice. Without this guide it would be a copy of the inner one; `auto`
/// makes copies.
template <space_order Order>
transposed(transposed<Order>) -> transposed<transposed<Order>>;

}}  // namespace heddle::HEDDLE_ABI

#pragma once

#include <heddle/concepts.hpp>

namespace heddle::inline HEDDLE_ABI {

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
/// **Cost**: no arithmetic beyond the order inside; 8 bytes of kernel argument for the transposed grid.
/// **Example** (tests/order/readme.cpp):
///
///     constexpr transposed turned{row_major{{2, 3}}};
///     static_assert(turned.grid() == extent{3, 2} && turned(3) == coord{0, 1});
template <grid_order Order>
class transposed {
 public:
  /// Transposes an order.
  HEDDLE_HOST explicit transposed(Order order) : order_(order), grid_(across(order.grid())) {}

  /// Returns the transposed grid: of tiles, or of clusters.
  HEDDLE_FN extent grid() const { return grid_; }
  /// Returns the number of tiles, or of clusters.
  HEDDLE_FN int size() const { return order_.size(); }

  /// Returns the i-th tile, transposed.
  HEDDLE_FN coord operator()(int i) const { return across(order_(i)); }

  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(coord tile) const { return order_.index(across(tile)); }

  /// Returns the grid of tiles that the clusters cover.
  HEDDLE_FN extent tiles() const requires cluster_order<Order> { return across(order_.tiles()); }
  /// Returns the number of blocks in a cluster.
  HEDDLE_FN int blocks_in_cluster() const requires cluster_order<Order> { return order_.blocks_in_cluster(); }
  /// Returns the tile of a block, by the index of its cluster and its rank in the cluster.
  HEDDLE_FN coord tile(int cluster, int block_in_cluster) const requires cluster_order<Order> {
    return across(order_.tile(cluster, block_in_cluster));
  }
  /// Returns false for a tile outside the grid of tiles.
  HEDDLE_FN bool contains(coord tile) const requires cluster_order<Order> { return order_.contains(across(tile)); }

 private:
  HEDDLE_FN static coord across(coord tile) { return {tile.col, tile.row}; }

  /// Swaps the sides of a copy, because a device function cannot construct an extent.
  HEDDLE_FN static extent across(extent grid) {
    const int rows = grid.rows;
    grid.rows = grid.cols;
    grid.cols = rows;
    return grid;
  }
  Order order_;
  extent grid_;
};

template <class Order>
transposed(Order) -> transposed<detail::as_grid_order<Order>>;

/// Makes transposed{transposed{order}} transpose twice. Without this guide it would be a copy of the inner one; `auto`
/// makes copies.
template <grid_order Order>
transposed(transposed<Order>) -> transposed<transposed<Order>>;

}  // namespace heddle::inline HEDDLE_ABI

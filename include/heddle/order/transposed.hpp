#pragma once

#include <heddle/concepts.hpp>

namespace heddle::inline HEDDLE_ABI {

/// An order of the transposed grid: rows become columns.
///
///   transposed{row_major{{2, 3}}}      0 3
///                                      1 4
///                                      2 5
///
/// Of an order of clusters the tiles are transposed with the clusters: those of a cluster of 2 x 1 blocks lie beside
/// each other.
template <grid_order Order>
class transposed {
 public:
  HEDDLE_HOST explicit transposed(Order order) : order_(order), grid_(across(order.grid())) {}

  HEDDLE_FN extent grid() const { return grid_; }
  HEDDLE_FN int size() const { return order_.size(); }

  HEDDLE_FN coord operator()(int i) const { return across(order_(i)); }

  HEDDLE_FN int index(coord tile) const { return order_.index(across(tile)); }

  HEDDLE_FN extent tiles() const requires cluster_order<Order> { return across(order_.tiles()); }
  HEDDLE_FN int blocks_in_cluster() const requires cluster_order<Order> { return order_.blocks_in_cluster(); }
  HEDDLE_FN coord tile(int cluster, int block_in_cluster) const requires cluster_order<Order> {
    return across(order_.tile(cluster, block_in_cluster));
  }
  HEDDLE_FN bool contains(coord tile) const requires cluster_order<Order> { return order_.contains(across(tile)); }

 private:
  HEDDLE_FN static coord across(coord tile) { return {tile.col, tile.row}; }

  /// No device function builds an extent: this one is a copy.
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

/// transposed{transposed{order}} is transposed twice, not a copy of the inner one. Copies are made by `auto`.
template <grid_order Order>
transposed(transposed<Order>) -> transposed<transposed<Order>>;

}  // namespace heddle::inline HEDDLE_ABI

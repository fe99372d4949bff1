#pragma once

#include <heddle/concepts.hpp>

namespace heddle::inline HEDDLE_ABI {

/// An order walked from its end.
///
///   reversed{row_major{grid}}      5 4 3
///                                  2 1 0
///
/// Of an order of clusters the clusters come from the end; each keeps its blocks where they are.
template <tile_order Order>
class reversed {
 public:
  HEDDLE_HOST explicit reversed(Order order) : order_(order) {}

  HEDDLE_FN extent grid() const requires grid_order<Order> { return order_.grid(); }
  HEDDLE_FN int size() const { return order_.size(); }

  HEDDLE_FN tile_of<Order> operator()(int i) const { return order_(size() - 1 - i); }
  HEDDLE_FN int index(tile_of<Order> tile) const { return size() - 1 - order_.index(tile); }

  HEDDLE_FN extent tiles() const requires cluster_order<Order> { return order_.tiles(); }
  HEDDLE_FN int blocks_in_cluster() const requires cluster_order<Order> { return order_.blocks_in_cluster(); }
  HEDDLE_FN coord tile(int cluster, int block_in_cluster) const requires cluster_order<Order> {
    return order_.tile(size() - 1 - cluster, block_in_cluster);
  }
  HEDDLE_FN bool contains(coord tile) const requires cluster_order<Order> { return order_.contains(tile); }

 private:
  Order order_;
};

template <class Order>
reversed(Order) -> reversed<detail::as_tile_order<Order>>;

/// reversed{reversed{order}} is reversed twice, not a copy of the inner one. Copies are made by `auto`.
template <tile_order Order>
reversed(reversed<Order>) -> reversed<reversed<Order>>;

}  // namespace heddle::inline HEDDLE_ABI

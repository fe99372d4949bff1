#pragma once

#include <heddle/concepts.hpp>
#include <heddle/detail/fast_div.hpp>

namespace heddle::inline HEDDLE_ABI {

/// An order over clusters of thread blocks: `clusters` orders the clusters that cover the grid, and the
/// blocks of a cluster sit in it row by row, by their rank.
///
///   clustered{row_major{{2, 2}}, {2, 2}, {3, 4}}      0.0 0.1 | 1.0 1.1      cluster.block
///                                                     0.2 0.3 | 1.2 1.3
///                                                     -----------------
///                                                     2.0 2.1 | 3.0 3.1
///
/// Where the cluster does not divide the grid, blocks of the last row and the last column of clusters
/// stick out of it (2.2 above) and have no tile. They belong to their cluster all the same, and must
/// reach its barriers: ask `contains` before touching memory.
///
/// To a scheduler it is an order of clusters.
template <grid_order Order>
class clustered {
  static_assert(
      !cluster_order<Order>,
      "heddle::clustered: its first argument is an order of clusters already. Give it an order of the grid of "
      "clusters: clustered{row_major{ceil_div(grid, cluster)}, cluster, grid}");

 public:
  HEDDLE_HOST clustered(Order clusters, extent cluster, extent grid)
      : clusters_(clusters),
        tiles_(grid),
        cluster_rows_(detail::require_at_least(1, "heddle::clustered: cluster.rows", cluster.rows)),
        block_(detail::require_at_least(1, "heddle::clustered: cluster.cols", cluster.cols)) {
    const extent needed = ceil_div(grid, cluster);
    detail::require_equal(needed.rows, "heddle::clustered: rows of clusters", clusters.grid().rows);
    detail::require_equal(needed.cols, "heddle::clustered: columns of clusters", clusters.grid().cols);
    detail::require_at_most(0x7fffffff, "heddle::clustered: blocks", 1LL * clusters.size() * cluster.size());
  }

  HEDDLE_FN extent grid() const { return clusters_.grid(); }  // of clusters
  HEDDLE_FN int size() const { return clusters_.size(); }
  HEDDLE_FN coord operator()(int cluster) const { return clusters_(cluster); }
  HEDDLE_FN int index(coord cluster) const { return clusters_.index(cluster); }

  HEDDLE_FN extent tiles() const { return tiles_; }
  HEDDLE_FN int blocks_in_cluster() const { return cluster_rows_ * block_.divisor(); }

  HEDDLE_FN coord tile(coord cluster, int block_in_cluster) const {
    const auto [row, col] = block_(block_in_cluster);
    return {cluster.row * cluster_rows_ + row, cluster.col * block_.divisor() + col};
  }

  HEDDLE_FN coord tile(int cluster, int block_in_cluster) const { return tile(clusters_(cluster), block_in_cluster); }

  HEDDLE_FN bool contains(coord tile) const { return tiles_.contains(tile); }

 private:
  Order clusters_;
  extent tiles_;
  int cluster_rows_;
  detail::fast_div block_;  // blocks in a row of a cluster
};

template <class Order>
clustered(Order, extent, extent) -> clustered<detail::as_grid_order<Order>>;

}  // namespace heddle::inline HEDDLE_ABI

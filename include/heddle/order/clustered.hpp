#pragma once

#include <heddle/concepts.hpp>
#include <heddle/detail/fast_div.hpp>
#include <heddle/order/batch.hpp>
#include <heddle/order/groups.hpp>
#include <heddle/order/triangle.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail::order {

HEDDLE_HOST void require_covered(extent found, extent needed) {
  require_equal(needed.rows, "heddle::clustered: rows of clusters", found.rows);
  require_equal(needed.cols, "heddle::clustered: columns of clusters", found.cols);
}

HEDDLE_HOST void require_covered(const triangle& found, const triangle& needed) {
  require_equal(needed.rows(), "heddle::clustered: rows of the triangle of clusters", found.rows());
  require_equal(needed.cols(), "heddle::clustered: columns of the triangle of clusters", found.cols());
  require_equal(needed.diagonal(), "heddle::clustered: diagonal of the triangle of clusters", found.diagonal());
  if (needed.kept() != found.kept()) refuse("heddle::clustered", ": the triangle of clusters is on the other side");
}

HEDDLE_HOST void require_covered(const groups& found, const groups& needed) {
  require_equal(needed.cols(), "heddle::clustered: columns of clusters", found.cols());
}

template <class Plane>
HEDDLE_HOST void require_covered(const batch<Plane>& found, const batch<Plane>& needed) {
  require_equal(needed.count(), "heddle::clustered: planes of clusters", found.count());
  require_covered(found.plane(), needed.plane());
}

}  // namespace detail::order

/// Orders clusters of thread blocks: `clusters` orders the clusters that cover the grid of tiles, and the blocks of a
/// cluster take its tiles row by row, by their rank.
///
///   clustered{row_major{{2, 2}}, {2, 2}, {3, 4}}      0.0 0.1 | 1.0 1.1      cluster.block
///                                                     0.2 0.3 | 1.2 1.3
///                                                     -----------------
///                                                     2.0 2.1 | 3.0 3.1
///
/// If the cluster does not divide the grid, some blocks of the last row and the last column of clusters lie outside the
/// grid (2.2 above) and have no tile. They still belong to their cluster and must reach its barriers: a kernel calls
/// `contains` before it accesses memory.
///
/// A scheduler walks the clusters, and each block gets its own tile. Every other adapter goes inside:
/// `clustered{reversed{order}, cluster, grid}`, `clustered{batched{order, count}, cluster, batch{count, grid}}`.
/// Clusters of a `grouped` order have one row of blocks: `clustered{order, {1, 2}, order.space().with_cols(cols)}`.
///
/// **Preconditions**: the sides of `cluster` are at least 1, `clusters.space()` is `ceil_div(tiles, cluster)`, and all
/// blocks together are at most 2^31 - 1; the constructor checks them.
/// **Cost**: the cost of `clusters`, plus one division by multiplication and two multiply-adds per tile; 24 bytes of
/// kernel argument more than `clusters`, rounded up to the order's alignment (bands: 32).
/// **Example** (tests/order/readme.cpp):
///
///     constexpr clustered order{row_major{ceil_div(grid, cluster)}, cluster, grid};
///     static_assert(order.tile(/*cluster*/ 1, /*block*/ 2) == coord{1, 2});
///     static_assert(!order.contains(order.tile(2, 2)));  // below the grid
template <space_order Order, class Tiles = extent>
class clustered {
  static_assert(
      !cluster_order<Order>,
      "heddle::clustered: its first argument is an order of clusters already. Give it an order of the grid of "
      "clusters: clustered{row_major{ceil_div(grid, cluster)}, cluster, grid}");

 public:
  /// Builds the order of the clusters that cover a space of tiles, each of `cluster` blocks.
  HEDDLE_HOST clustered(Order clusters, extent cluster, Tiles tiles)
      : clusters_(clusters),
        tiles_(tiles),
        cluster_rows_(detail::require_at_least(1, "heddle::clustered: cluster.rows", cluster.rows)),
        block_(detail::require_at_least(1, "heddle::clustered: cluster.cols", cluster.cols)) {
    detail::order::require_covered(clusters.space(), ceil_div(tiles, cluster));
    detail::require_at_most(0x7fffffff, "heddle::clustered: blocks",
                            1LL * heddle::most_tiles(clusters) * cluster.size());
  }

  /// Returns the space of clusters.
  HEDDLE_FN auto space() const { return clusters_.space(); }
  /// Returns a bound of the number of clusters, if only the device knows it.
  HEDDLE_FN int most_tiles() const requires bounds_tiles<Order> { return clusters_.most_tiles(); }
  /// Returns the number of clusters.
  HEDDLE_FN int size() const { return clusters_.size(); }
  /// Returns the place of a cluster in the space of clusters, by its index.
  HEDDLE_FN tile_of<Order> operator()(int cluster) const { return clusters_(cluster); }
  /// Returns the index of a cluster: the inverse of operator().
  HEDDLE_FN int index(tile_of<Order> cluster) const { return clusters_.index(cluster); }

  /// Returns the space of tiles.
  HEDDLE_FN const Tiles& tiles() const { return tiles_; }
  /// Returns the number of blocks in a cluster.
  HEDDLE_FN int blocks_in_cluster() const { return cluster_rows_ * block_.divisor(); }

  /// Returns the tile of a block, by its cluster and its rank in the cluster. The tile may lie outside the grid.
  HEDDLE_FN tile_of<Order> tile(tile_of<Order> cluster, int block_in_cluster) const {
    const auto [row, col] = block_(block_in_cluster);
    cluster.row = cluster.row * cluster_rows_ + row;
    cluster.col = cluster.col * block_.divisor() + col;
    return cluster;
  }

  HEDDLE_FN tile_of<Order> tile(int cluster, int block_in_cluster) const {
    return tile(clusters_(cluster), block_in_cluster);
  }

  /// Returns false for a tile outside the space of tiles.
  HEDDLE_FN bool contains(tile_of<Order> tile) const { return tiles_.contains(tile); }

 private:
  Order clusters_;
  Tiles tiles_;
  int cluster_rows_;
  detail::fast_div block_;  // blocks in a row of a cluster
};

template <class Order>
clustered(Order, extent, extent) -> clustered<detail::as_grid_order<Order>>;
template <class Order, tile_space Tiles>
clustered(Order, extent, Tiles) -> clustered<detail::as_space_order<Order>, Tiles>;

}}  // namespace heddle::HEDDLE_ABI

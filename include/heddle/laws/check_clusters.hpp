#pragma once

#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/laws/verdict.hpp>

namespace heddle::inline HEDDLE_ABI::laws {

/// Checks the law of clusters: their blocks cover every tile of the grid exactly once, and only blocks in the last row
/// or the last column of clusters have no tile.
///
/// **Effects**: calls `order.tile` for each block of each cluster.
/// **Cost**: one bit of memory per tile.
/// **Example** (tests/laws/laws.cpp):
///
///     CHECK(laws::check_clusters(clustered{hilbert{{7, 11}}, {2, 2}, {13, 22}}).failure == "");
template <cluster_order Order>
verdict check_clusters(const Order& order) {
  const extent grid = order.tiles();
  std::vector<bool> covered(static_cast<unsigned>(grid.size()));
  int count = 0;
  for (int cluster = 0; cluster < order.size(); ++cluster) {
    const coord corner = order(cluster);
    const bool at_the_edge = corner.row == order.grid().rows - 1 || corner.col == order.grid().cols - 1;
    for (int block = 0; block < order.blocks_in_cluster(); ++block) {
      const coord tile = order.tile(cluster, block);
      const auto tile_failed = [&](const char* why) { return failed("tile(", cluster, ", ", block, ") ", tile, why); };
      if (order.contains(tile) != grid.contains(tile)) return tile_failed(": contains() is wrong");
      if (!grid.contains(tile)) {
        if (!at_the_edge) return tile_failed(" is outside the grid, in a cluster that is not at its edge");
        continue;
      }
      const auto number = static_cast<unsigned>(tile.row * grid.cols + tile.col);
      if (covered[number]) return tile_failed(" comes twice");
      covered[number] = true;
      ++count;
    }
  }
  if (count != grid.size()) return failed(grid.size() - count, " tiles are in no cluster");
  return {};
}

}  // namespace heddle::inline HEDDLE_ABI::laws

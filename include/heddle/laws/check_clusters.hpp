#pragma once

#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/laws/verdict.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace laws {

/// Checks the law of clusters: their blocks cover every tile of the space exactly once. On a
/// grid only blocks in the last row or the last column of clusters have none.
///
/// **Effects**: calls `order.tile` for each block of each cluster.
/// **Cost**: one bit of memory per tile.
/// **Example** (tests/laws/laws.cpp):
///
///     CHECK(laws::check_clusters(clustered{hilbert{{7, 11}}, {2, 2}, {13, 22}}).failure == "");
template <cluster_order Order>
verdict check_clusters(const Order& order) {
  const auto space = order.tiles();
  std::vector<bool> covered(static_cast<unsigned>(space.size()));
  int count = 0;
  for (int cluster = 0; cluster < order.size(); ++cluster) {
    const auto corner = order(cluster);
    for (int block = 0; block < order.blocks_in_cluster(); ++block) {
      const auto tile = order.tile(cluster, block);
      const auto tile_failed = [&](const char* why) { return failed("tile(", cluster, ", ", block, ") ", tile, why); };
      if (order.contains(tile) != space.contains(tile)) return tile_failed(": contains() is wrong");
      if (!space.contains(tile)) {
        if constexpr (grid_order<Order>) {
          const bool at_the_edge = corner.row == order.space().rows - 1 || corner.col == order.space().cols - 1;
          if (!at_the_edge) return tile_failed(" is outside the grid, in a cluster that is not at its edge");
        }
        continue;
      }
      const auto number = static_cast<unsigned>(space.number(tile));
      if (covered[number]) return tile_failed(" comes twice");
      covered[number] = true;
      ++count;
    }
  }
  if (count != space.size()) return failed(space.size() - count, " tiles are in no cluster");
  return {};
}

}}}  // namespace heddle::HEDDLE_ABI::laws

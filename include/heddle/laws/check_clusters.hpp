#pragma once

#include <vector>

#include <heddle/laws/verdict.hpp>
#include <heddle/order/clustered.hpp>

namespace heddle::inline v0::laws {

/// The law of clusters: their blocks cover every tile of the grid exactly once, and only blocks of the
/// last row and the last column of clusters have none.
template <grid_order Order>
verdict check_clusters(const clustered<Order>& order) {
  const extent grid = order.tiles();
  std::vector<bool> covered(static_cast<unsigned>(grid.size()));
  int count = 0;
  for (int cluster = 0; cluster < order.size(); ++cluster) {
    const coord place = order(cluster);
    const bool at_the_edge = place.row == order.grid().rows - 1 || place.col == order.grid().cols - 1;
    for (int block = 0; block < order.blocks_in_cluster(); ++block) {
      const coord tile = order.tile(cluster, block);
      const std::string name = "tile(" + std::to_string(cluster) + ", " + std::to_string(block) + ") " + in_words(tile);
      if (order.contains(tile) != grid.contains(tile))
        return {name + " is on the grid or not, contains() says otherwise"};
      if (!grid.contains(tile)) {
        if (!at_the_edge) return {name + " is outside the grid, in a cluster that is not at its edge"};
        continue;
      }
      const auto number = static_cast<unsigned>(tile.row * grid.cols + tile.col);
      if (covered[number]) return {name + " comes twice"};
      covered[number] = true;
      ++count;
    }
  }
  if (count != grid.size()) return {std::to_string(grid.size() - count) + " tiles are in no cluster"};
  return {};
}

}  // namespace heddle::inline v0::laws

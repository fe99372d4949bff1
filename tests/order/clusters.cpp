#include <heddle/laws/check_clusters.hpp>
#include <heddle/laws/check_order.hpp>

#include "every_grid.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

template <class Order>
std::string cover_broken(const clustered<Order>& order, extent cluster, extent grid) {
  std::vector<char> covered(static_cast<std::size_t>(grid.size()), 0);
  const int last_row = (grid.rows - 1) / cluster.rows, last_col = (grid.cols - 1) / cluster.cols;
  int tiles = 0;
  for (int c = 0; c < order.size(); ++c) {
    for (int block = 0; block < cluster.rows * cluster.cols; ++block) {
      const auto [row, col] = order.tile(c, block);
      const coord place = order(c);
      if (row != place.row * cluster.rows + block / cluster.cols) return "row of a block";
      if (col != place.col * cluster.cols + block % cluster.cols) return "column of a block";
      const bool inside = row < grid.rows && col < grid.cols;
      if (order.contains({row, col}) != inside) return "contains";
      if (!inside && place.row != last_row && place.col != last_col) return "a hole inside";
      if (inside && covered[static_cast<std::size_t>(row) * grid.cols + col]++) return "a tile twice";
      tiles += inside;
    }
  }
  return tiles == grid.size() ? "" : "tiles missing";
}

}  // namespace

TEST_CASE("clustered covers exactly the tiles of every grid up to 40x40", "[order]") {
  on_every_grid(40, 40, [](extent grid) {
    for (const extent cluster : {extent{1, 1}, extent{2, 1}, extent{1, 2}, extent{2, 2}, extent{4, 1}, extent{3, 5}}) {
      const extent clusters = ceil_div(grid, cluster);
      std::string failure = cover_broken(clustered{cta_swizzle{clusters, 4, axis::x}, cluster, grid}, cluster, grid);
      if (failure.empty()) failure = cover_broken(clustered{hilbert{clusters}, cluster, grid}, cluster, grid);
      if (failure.empty())
        failure = cover_broken(clustered{reversed{row_major{clusters}}, cluster, grid}, cluster, grid);
      if (!failure.empty())
        return failure + ", cluster " + std::to_string(cluster.rows) + "x" + std::to_string(cluster.cols);
    }
    return std::string();
  });
}

namespace {

/// Compares each adapter with the order inside it by brute force, tile by tile.
template <class Order>
std::string adapters_broken(const Order& order, extent grid) {
  const reversed back{order};
  const transposed across{order};
  const rotated later{order, order.size() / 3};
  const reversed<transposed<Order>> both{across};
  const transposed<reversed<Order>> other_way{back};
  const int size = order.size(), blocks = order.blocks_in_cluster();
  for (const int of :
       {back.blocks_in_cluster(), across.blocks_in_cluster(), both.blocks_in_cluster(), later.blocks_in_cluster()}) {
    if (of != blocks) return "blocks_in_cluster()";
  }
  if (!(back.tiles() == grid) || !(later.tiles() == grid) || !(across.tiles() == extent{grid.cols, grid.rows}))
    return "tiles()";
  for (int cluster = 0; cluster < size; ++cluster) {
    for (int block = 0; block < blocks; ++block) {
      const coord tile = order.tile(cluster, block), turned{tile.col, tile.row};
      if (!(back.tile(size - 1 - cluster, block) == tile)) return "reversed";
      if (!(across.tile(cluster, block) == turned)) return "transposed";
      if (!(later.tile((cluster + size - size / 3) % size, block) == tile)) return "rotated";
      if (!(both.tile(size - 1 - cluster, block) == turned)) return "reversed transposed";
      if (!(other_way.tile(size - 1 - cluster, block) == turned)) return "transposed reversed";
      const bool inside = tile.row < grid.rows && tile.col < grid.cols;
      if (back.contains(tile) != inside || later.contains(tile) != inside || across.contains(turned) != inside)
        return "contains()";
      if (both.contains(turned) != inside || other_way.contains(turned) != inside) return "contains() of both";
    }
  }
  std::string failure;
  for (const auto& verdict : {laws::check_clusters(back), laws::check_clusters(across), laws::check_clusters(both),
                              laws::check_clusters(other_way), laws::check_clusters(later), laws::check_order(both),
                              laws::check_order(other_way)}) {
    failure += verdict.failure;
  }
  return failure;
}

}  // namespace

TEST_CASE("reversed, rotated and transposed keep the clusters and all tiles of an order of clusters", "[order]") {
  on_every_grid(12, 12, [](extent grid) {
    for (const extent cluster : {extent{1, 1}, extent{2, 1}, extent{1, 2}, extent{2, 2}, extent{4, 1}, extent{3, 5}}) {
      const extent clusters = ceil_div(grid, cluster);
      std::string failure = adapters_broken(clustered{row_major{clusters}, cluster, grid}, grid);
      if (failure.empty()) failure = adapters_broken(clustered{hilbert{clusters}, cluster, grid}, grid);
      if (!failure.empty())
        return failure + ", cluster " + std::to_string(cluster.rows) + "x" + std::to_string(cluster.cols);
    }
    return std::string();
  });
}

TEST_CASE("An adapter of an order of clusters is an order of clusters and one of tiles is none", "[order]") {
  using clusters = clustered<row_major>;
  CHECK((cluster_order<clusters> && cluster_order<reversed<clusters>> && cluster_order<transposed<clusters>>));
  CHECK((cluster_order<transposed<reversed<clusters>>> && cluster_order<reversed<reversed<clusters>>>));
  CHECK((!cluster_order<row_major> && !cluster_order<reversed<row_major>> && !cluster_order<transposed<row_major>>));
  CHECK((!cluster_order<clustered<row_major>&> && !cluster_order<int>));
}

TEST_CASE("clustered reaches a cluster by its place as by its number", "[order]") {
  const clustered order{hilbert{{3, 4}}, {2, 2}, {5, 8}};
  for (int cluster = 0; cluster < order.size(); ++cluster) {
    for (int block = 0; block < order.blocks_in_cluster(); ++block) {
      CHECK(order.tile(cluster, block) == order.tile(order(cluster), block));
    }
    CHECK(order.index(order(cluster)) == cluster);
  }
}

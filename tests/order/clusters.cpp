#include <heddle/laws/check_clusters.hpp>
#include <heddle/laws/check_order.hpp>

#include "every_grid.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

template <class Order>
std::string cover_broken(const Order& clusters, extent cluster, extent grid) {
  const clustered<Order> order{clusters, cluster, grid};
  std::vector<char> covered(static_cast<std::size_t>(grid.size()), 0);
  const int last_row = (grid.rows - 1) / cluster.rows, last_col = (grid.cols - 1) / cluster.cols;
  int tiles = 0;
  for (int c = 0; c < order.size(); ++c) {
    const coord place = clusters(c);
    if (!(order(c) == place) || order.index(place) != c) return "the place of a cluster";
    for (int block = 0; block < cluster.rows * cluster.cols; ++block) {
      const auto [row, col] = order.tile(c, block);
      if (row != place.row * cluster.rows + block / cluster.cols) return "row of a block";
      if (col != place.col * cluster.cols + block % cluster.cols) return "column of a block";
      if (!(order.tile(place, block) == coord{row, col})) return "a tile by the place of its cluster";
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
      std::string failure = cover_broken(cta_swizzle{clusters, 4, axis::x}, cluster, grid);
      if (failure.empty()) failure = cover_broken(hilbert{clusters}, cluster, grid);
      if (failure.empty()) failure = cover_broken(reversed{row_major{clusters}}, cluster, grid);
      if (failure.empty()) failure = cover_broken(transposed{row_major{clusters.transposed()}}, cluster, grid);
      if (failure.empty()) failure = cover_broken(rotated{hilbert{clusters}, clusters.size() / 3}, cluster, grid);
      if (!failure.empty())
        return failure + ", cluster " + std::to_string(cluster.rows) + "x" + std::to_string(cluster.cols);
    }
    return std::string();
  });
}

TEST_CASE("clustered over a batch has the clusters of each plane", "[order]") {
  on_every_grid(9, 9, [](extent grid) {
    for (const extent cluster : {extent{1, 1}, extent{2, 1}, extent{1, 2}, extent{2, 2}, extent{3, 5}}) {
      const cta_swizzle plane{ceil_div(grid, cluster), 2};
      const batched planes{plane, 5, 2};
      const clustered order{planes, cluster, batch{5, grid}};
      const clustered alone{plane, cluster, grid};
      if (order.size() != 5 * alone.size()) return std::string("size()");
      for (int i = 0; i < order.size(); ++i) {
        for (int block = 0; block < cluster.size(); ++block) {
          const auto [number, row, col] = planes(i);
          const coord tile = alone.tile(coord{row, col}, block);
          if (!(order.tile(i, block) == batch_coord{number, tile.row, tile.col})) return std::string("a tile");
        }
      }
      if (const auto verdict = laws::check_clusters(order); !verdict) return verdict.failure;
      if (const auto verdict = laws::check_order(order); !verdict) return verdict.failure;
    }
    return std::string();
  });
}

TEST_CASE("Only an order of clusters is an order of clusters", "[order]") {
  CHECK((cluster_order<clustered<row_major>> && cluster_order<clustered<reversed<row_major>>>));
  CHECK((!cluster_order<row_major> && !cluster_order<reversed<row_major>> && !cluster_order<transposed<row_major>>));
  CHECK((!cluster_order<clustered<row_major>&> && !cluster_order<int>));
}

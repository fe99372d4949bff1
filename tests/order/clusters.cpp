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

TEST_CASE("clustered covers exactly the tiles of every grid up to 64x64", "[order]") {
  on_every_grid(64, 64, [](extent grid) {
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

TEST_CASE("clustered reaches a cluster by its place as by its number", "[order]") {
  const clustered order{hilbert{{3, 4}}, {2, 2}, {5, 8}};
  for (int cluster = 0; cluster < order.size(); ++cluster) {
    for (int block = 0; block < order.blocks_in_cluster(); ++block) {
      CHECK(order.tile(cluster, block) == order.tile(order(cluster), block));
    }
    CHECK(order.index(order(cluster)) == cluster);
  }
}

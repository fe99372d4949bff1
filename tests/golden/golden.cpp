// Every order as a picture in text: any change of an order changes one of these files.

#include <heddle/draw/text.hpp>
#include <heddle/order.hpp>
#include <heddle/recipe.hpp>

#include "order/groups_on_host.hpp"
#include "recipes.hpp"
#include "test.hpp"

using namespace heddle;
using heddle_test::recipes;

namespace {

std::string golden(const std::string& name) {
  std::ifstream file(HEDDLE_SOURCE_DIR "/tests/golden/" + name + ".txt");
  INFO(name);
  REQUIRE(file.good());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns a picture with the block of each tile, as cluster.block.
template <cluster_order Order>
std::string text_of_blocks(const Order& order) {
  const extent grid = order.tiles();
  std::vector<std::string> names(static_cast<unsigned>(grid.size()));
  for (int cluster = 0; cluster < order.size(); ++cluster) {
    for (int block = 0; block < order.blocks_in_cluster(); ++block) {
      const coord tile = order.tile(cluster, block);
      if (!order.contains(tile)) continue;
      const std::string name = std::to_string(cluster) + "." + std::to_string(block);
      names[static_cast<unsigned>(tile.row * grid.cols + tile.col)] = std::string(4 - name.size(), ' ') + name;
    }
  }
  std::string text;
  for (int i = 0; i < grid.size(); ++i) {
    text += names[static_cast<unsigned>(i)] + ((i + 1) % grid.cols == 0 ? '\n' : ' ');
  }
  return text;
}

}  // namespace

TEST_CASE("The figures of the source texts are drawn as they were", "[golden]") {
  // Thread-group tiling: groups 10 and 11 (counted from 1) are launched one after the other. In raster order they are
  // at the two ends of the screen, in bands of 3 side by side.
  CHECK(draw::text(row_major{{10, 10}}) == golden("thread_group_tiling_figure_1"));
  CHECK(draw::text(thread_group_tiling{{10, 10}, 3, axis::x}) == golden("thread_group_tiling_figure_2"));
  CHECK(draw::text(thread_group_tiling{{12, 40}, 16, axis::x}) == golden("thread_group_tiling_figure_3"));
  CHECK(draw::text(cta_swizzle{{8, 8}, 4, axis::x}) == golden("tile_scheduling_cta_swizzle"));
  CHECK(draw::text(hilbert{{8, 8}}) == golden("tile_scheduling_cta_hilbert"));
}

TEST_CASE("Numbers of a text are as wide as the last", "[golden]") {
  CHECK(draw::text(row_major{{1, 10}}) == "0 1 2 3 4 5 6 7 8 9\n");
  CHECK(draw::text(row_major{{1, 11}}) == " 0  1  2  3  4  5  6  7  8  9 10\n");
}

TEST_CASE("Every order on 7 x 5 tiles is the golden picture", "[golden]") {
  const extent grid{7, 5};
  std::string all;
  for (const recipe& by : recipes) {
    const tile_table::entries entries = make_tile_table(by, grid);
    all += to_string(by) + "\n" + draw::text(any_order{by, grid, entries.data()});
  }
  CHECK(all == golden("orders"));
  CHECK(draw::text(constant_order<cta_swizzle, 7, 5, 2, axis::x>{}) == draw::text(cta_swizzle{grid, 2, axis::x}));
  const clustered clusters{cta_swizzle{{4, 3}, 2, axis::x}, {2, 2}, grid};
  CHECK(text_of_blocks(clusters) == golden("clustered"));
  CHECK(text_of_blocks(clustered{reversed{cta_swizzle{{4, 3}, 2, axis::x}}, {2, 2}, grid}) ==
        golden("clustered_reversed"));
}

TEST_CASE("Every order of a triangle and of a batch is the golden picture", "[golden]") {
  const triangle lower{7}, upper{6, 9, 1, side::upper}, wide{5, 9, 6};
  CHECK(draw::text(triangular{thread_group_tiling{lower.folded(), 2, axis::x}, lower}) == golden("triangular_lower"));
  CHECK(draw::text(triangular{row_major{upper.folded()}, row_major{upper.full()}, upper}) ==
        golden("triangular_upper"));
  CHECK(draw::text(triangular{cta_swizzle{wide.folded(), 2, axis::x}, row_major{wide.full()}, wide}) ==
        golden("triangular_wide"));
  CHECK(draw::text(batched{cta_swizzle{{4, 5}, 2, axis::x}, 3}) == golden("batched"));
  CHECK(draw::text(batched{cta_swizzle{{4, 5}, 2, axis::x}, 3, 2}) == golden("batched_in_turn"));
  CHECK(draw::text(batched{triangular{row_major{lower.folded()}, lower}, 5, 2}) == golden("batched_triangular"));
}

TEST_CASE("The text of groups has each group by its rows, also one without rows", "[golden]") {
  const group_shape shape{.rows = 12, .groups = 4, .tile_rows = 2, .cols = 2};
  const heddle_test::groups_on_host numbered(shape, {5, 5, 6, 12}, 2, axis::y, group_sequence::as_numbered);
  const heddle_test::groups_on_host heaviest(shape, {5, 5, 6, 12}, 2, axis::x, group_sequence::heaviest_first);
  CHECK(draw::text(numbered.order()) == golden("grouped"));
  CHECK(draw::text(heaviest.order()) == golden("grouped_heaviest_first"));
}

TEST_CASE("The text of a batch has its planes side by side, in lines of up to 100 characters", "[golden]") {
  CHECK(draw::text(batched{row_major{{2, 2}}, 2}) == "plane 0   plane 1\n0 1       4 5\n2 3       6 7\n");
  CHECK(draw::text(batched{row_major{{1, 1}}, 1}) == "plane 0\n0\n");
  const std::string text = draw::text(batched{row_major{{3, 7}}, 40});
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) CHECK((line.size() <= 100 && (line.empty() || line.back() != ' ')));
  CHECK(text.find("plane 39") != std::string::npos);
  CHECK(text.find(" 839\n") != std::string::npos);
}

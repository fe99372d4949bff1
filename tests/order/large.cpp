#include <heddle/recipe.hpp>

#include "every_grid.hpp"
#include "recipes.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

/// Checks both directions at random indices, at both ends, and in the last row and the last column.
template <class Order>
void probe(const std::string& name, const Order& order, extent grid, std::mt19937& random) {
  const int size = grid.rows * grid.cols;
  REQUIRE(order.size() == size);
  const auto any = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int turn = 0; turn < 300; ++turn) {
    const int i = turn == 0 ? 0 : turn == 1 ? size - 1 : any(size);
    const auto [row, col] = order(i);
    const bool inside = row >= 0 && row < grid.rows && col >= 0 && col < grid.cols;
    const int back = inside ? order.index({row, col}) : -1;
    const coord tile{turn % 3 == 0 ? grid.rows - 1 : any(grid.rows), turn % 5 == 0 ? grid.cols - 1 : any(grid.cols)};
    const int index = order.index(tile);
    const bool leads_back = index >= 0 && index < size && order(index) == tile;
    if (!inside || back != i || !leads_back) {
      FAIL(name << " on " << grid.rows << " x " << grid.cols << ": order(" << i << ") is " << row << " " << col
                << ", index back " << back << "; index(" << tile.row << " " << tile.col << ") is " << index);
    }
  }
}

void probe_all(extent grid, std::mt19937& random) {
  const auto small = [&] { return 1 + static_cast<int>(random() % 100); };
  const auto any = [&] { return 1 + static_cast<int>(random() % 0x7fffffff); };
  for (recipe by : recipes) {
    for (int turn = 0; turn < (by.has_width() ? 3 : 1); ++turn) {
      if (by.has_width()) by.width = turn == 0 ? any() : small();
      if (by.has_step()) by.step = {turn == 1 ? any() : small(), turn == 1 ? 1 : small()};
      by.axis = random() % 2 ? axis::x : axis::y;
      if (by.first > 0) by.first = turn == 0 ? grid.size() : turn == 1 ? grid.size() - 1 : any() % grid.size();
      with_recipe(by, grid, [&](const auto& order) { probe(to_string(by), order, grid, random); });
    }
  }
}

}  // namespace

TEST_CASE("Every order holds at random on grids of up to 2^31-1 tiles", "[order]") {
  std::mt19937 random(20190320);
  for (const extent grid : {extent{1, 0x7fffffff}, extent{0x7fffffff, 1}, extent{46340, 46341}, extent{46341, 46340},
                            extent{2, 0x3fffffff}, extent{0x3fffffff, 2}, extent{65536, 32767}, extent{32767, 65536},
                            extent{3, 715827881}, extent{715827881, 3}, extent{1, 1 << 30}, extent{32768, 65535}}) {
    probe_all(grid, random);
  }
  for (int turn = 0; turn < 300; ++turn) {
    // Sides of every magnitude, primes among them.
    const int rows = 1 + static_cast<int>(random() % (1u << random() % 31));
    const int cols = 1 + static_cast<int>(random() % (0x7fffffffu / static_cast<unsigned>(rows)));
    probe_all({rows, cols}, random);
  }
}

TEST_CASE("A cluster may cover the largest grids", "[order]") {
  const extent grid{0x7ffffffe, 1};
  const clustered order{row_major{{0x3fffffff, 1}}, {2, 1}, grid};
  CHECK(order.size() == 0x3fffffff);
  CHECK(order.tile(0x3ffffffe, 1) == coord{0x7ffffffd, 0});
  CHECK(order.contains({0x7ffffffd, 0}));
}

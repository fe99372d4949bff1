#include <heddle/recipe.hpp>

#include "every_grid.hpp"
#include "recipes.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

/// Returns how an order of a recipe breaks the law on a grid, in any width up to `most`.
std::string broken_in_any_width(const recipe& each, int most, extent grid) {
  std::string failure;
  in_every_width(each, most, [&](const recipe& by) {
    if (!failure.empty()) return;
    failure = with_recipe(by, grid, [&](const auto& order) { return broken(order, grid); });
    if (!failure.empty()) failure += ", " + to_string(by);
  });
  return failure;
}

/// Checks every adapter over an order.
template <class Order>
std::string adapted_broken(const Order& order, extent grid) {
  const extent turned{grid.cols, grid.rows};
  const tile_table::entries entries = make_tile_table(order);
  for (const std::string& failure : {
           broken(reversed{order}, grid),
           broken(reversed{reversed{order}}, grid),
           broken(transposed{order}, turned),
           broken(transposed{transposed{order}}, grid),
           broken(reversed{transposed{order}}, turned),
           broken(transposed{reversed{order}}, turned),
           broken(tile_table{grid, entries.data()}, grid),
           broken(reversed{tile_table{grid, entries.data()}}, grid),
           broken(rotated{order, grid.size() / 3}, grid),
           broken(rotated{transposed{order}, grid.size()}, turned),
       }) {
    if (!failure.empty()) return failure;
  }
  return "";
}

}  // namespace

TEST_CASE("Lines and curves visit every tile of every grid up to 64x64 once", "[order]") {
  for (const recipe& each : recipes) {
    if (!each.has_width()) on_every_grid(64, 64, [&](extent grid) { return broken_in_any_width(each, 1, grid); });
  }
}

TEST_CASE("Bands visit every tile of every grid up to 64x64 once at every width up to 17", "[order]") {
  for (const recipe& each : recipes) {
    if (!each.has_axis()) continue;
    on_every_grid(64, 64, [&](extent grid) { return broken_in_any_width(each, 17, grid); });
  }
}

TEST_CASE("dilated visits every tile of every grid up to 40x40 once at every width up to 17", "[order]") {
  for (const extent step : {extent{1, 1}, extent{2, 3}, extent{5, 4}}) {
    const recipe by{.order = recipe::dilated, .width = 1, .step = step};
    on_every_grid(40, 40, [&](extent grid) { return broken_in_any_width(by, 17, grid); });
  }
}

TEST_CASE("dilated visits every tile of every grid up to 40x40 once at every mix of steps", "[order]") {
  on_every_grid(40, 40, [](extent grid) {
    for (const int row_step : {1, 2, 3, 7, 20, 39, 41}) {
      for (const int col_step : {1, 2, 3, 7, 20, 39, 41}) {
        std::string failure = broken(dilated{grid, {row_step, col_step}, 1 + (row_step + grid.cols) % 5}, grid);
        if (!failure.empty()) return failure + ", step " + std::to_string(row_step) + " " + std::to_string(col_step);
      }
    }
    return std::string();
  });
}

// What an adapter adds is a function of the grid, the place and the order inside, which is whole up to 64x64 by the
// above.
TEST_CASE("reversed, rotated, transposed and tile_table keep every order whole on every grid up to 24x24", "[order]") {
  for (const recipe& each : recipes) {
    for (const int width : {1, 5, 16}) {
      recipe by = each;
      if (by.has_width()) by.width = width;
      on_every_grid(24, 24, [&](extent grid) {
        return with_recipe(by, grid, [&](const auto& order) { return adapted_broken(order, grid); });
      });
      if (!by.has_width()) break;
    }
  }
}

TEST_CASE("constant is the order that it names", "[order]") {
  constexpr constant_order<cta_swizzle, 13, 29, 4, axis::y> order;
  static_assert(order(40) == cta_swizzle{{13, 29}, 4, axis::y}(40));
  CHECK(broken(order, {13, 29}) == "");
  CHECK(broken(constant_order<row_major, 1, 97>{}, {1, 97}) == "");
  CHECK(broken(reversed{constant_order<thread_group_tiling, 97, 1, 8, axis::x>{}}, {97, 1}) == "");
  CHECK(broken(transposed{constant_order<hilbert, 31, 17>{}}, {17, 31}) == "");
}

TEST_CASE("An empty grid has no tiles in any order", "[order]") {
  for (const extent grid : {extent{0, 0}, extent{0, 7}, extent{7, 0}}) {
    CAPTURE(grid.rows, grid.cols);
    for (recipe by : recipes) {
      by.first = 0;
      CHECK(with_recipe(by, grid, [](const auto& order) { return order.size(); }) == 0);
    }
    CHECK(reversed{transposed{hilbert{grid}}}.size() == 0);
    CHECK(rotated{hilbert{grid}, 0}.size() == 0);
    CHECK(clustered{row_major{ceil_div(grid, {2, 1})}, {2, 1}, grid}.size() == 0);
    const tile_table::entries entries = make_tile_table(hilbert{grid});
    CHECK(entries.size() == 0);
    CHECK(tile_table{grid, entries.data()}.size() == 0);
  }
}

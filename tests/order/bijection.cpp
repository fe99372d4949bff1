#include "every_grid.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

std::string with_width(std::string failure, int width, axis axis) {
  if (failure.empty()) return failure;
  return failure + ", width " + std::to_string(width) + (axis == axis::x ? ", axis x" : ", axis y");
}

template <class Order>
std::string bands_broken(extent grid) {
  for (const axis along : {axis::x, axis::y}) {
    for (int width = 1; width <= 17; ++width) {
      std::string failure = broken(Order{grid, width, along}, grid);
      if (!failure.empty()) return with_width(failure, width, along);
    }
  }
  return "";
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

TEST_CASE("row_major and column_major visit every tile of every grid up to 64x64 once", "[order]") {
  on_every_grid(64, 64, [](extent grid) { return broken(row_major{grid}, grid); });
  on_every_grid(64, 64, [](extent grid) { return broken(column_major{grid}, grid); });
}

TEST_CASE("thread_group_tiling visits every tile of every grid up to 64x64 once", "[order]") {
  on_every_grid(64, 64, bands_broken<thread_group_tiling>);
}

TEST_CASE("cta_swizzle visits every tile of every grid up to 64x64 once", "[order]") {
  on_every_grid(64, 64, bands_broken<cta_swizzle>);
}

TEST_CASE("hilbert visits every tile of every grid up to 64x64 once", "[order]") {
  on_every_grid(64, 64, [](extent grid) { return broken(hilbert{grid}, grid); });
}

TEST_CASE("morton visits every tile of every grid up to 64x64 once", "[order]") {
  on_every_grid(64, 64, [](extent grid) { return broken(morton{grid}, grid); });
}

TEST_CASE("dilated visits every tile of every grid up to 40x40 once at every width up to 17", "[order]") {
  on_every_grid(40, 40, [](extent grid) {
    for (const extent step : {extent{1, 1}, extent{2, 3}, extent{5, 4}}) {
      for (int width = 1; width <= 17; ++width) {
        std::string failure = broken(dilated{grid, step, width}, grid);
        if (!failure.empty()) return failure + ", width " + std::to_string(width);
      }
    }
    return std::string();
  });
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
  on_every_grid(24, 24, [](extent grid) { return adapted_broken(row_major{grid}, grid); });
  on_every_grid(24, 24, [](extent grid) { return adapted_broken(column_major{grid}, grid); });
  on_every_grid(24, 24, [](extent grid) { return adapted_broken(hilbert{grid}, grid); });
  on_every_grid(24, 24, [](extent grid) { return adapted_broken(morton{grid}, grid); });
  for (const int width : {1, 5, 16}) {
    for (const axis along : {axis::x, axis::y}) {
      on_every_grid(24, 24, [=](extent grid) { return adapted_broken(thread_group_tiling{grid, width, along}, grid); });
      on_every_grid(24, 24, [=](extent grid) { return adapted_broken(cta_swizzle{grid, width, along}, grid); });
    }
    on_every_grid(24, 24, [=](extent grid) { return adapted_broken(dilated{grid, {3, 4}, width}, grid); });
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
    CHECK(row_major{grid}.size() == 0);
    CHECK(column_major{grid}.size() == 0);
    CHECK(thread_group_tiling{grid, 8, axis::x}.size() == 0);
    CHECK(cta_swizzle{grid, 8, axis::y}.size() == 0);
    CHECK(hilbert{grid}.size() == 0);
    CHECK(morton{grid}.size() == 0);
    CHECK(dilated{grid, {2, 2}, 8}.size() == 0);
    CHECK(reversed{transposed{hilbert{grid}}}.size() == 0);
    CHECK(rotated{hilbert{grid}, 0}.size() == 0);
    CHECK(clustered{row_major{ceil_div(grid, {2, 1})}, {2, 1}, grid}.size() == 0);
    const tile_table::entries entries = make_tile_table(hilbert{grid});
    CHECK(entries.size() == 0);
    CHECK(tile_table{grid, entries.data()}.size() == 0);
  }
}

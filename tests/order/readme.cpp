// The lines that docs/order.md shows.

#include <heddle/order.hpp>

#include "test.hpp"

TEST_CASE("The order in the docs is what it says", "[order]") {
  const heddle::extent grid = heddle::ceil_div(4001, 8192, {128, 256});  // tiles, the ragged ones included
  const heddle::cta_swizzle order{grid, /*width*/ 8, heddle::axis::x};
  // clang-format off
  order.size();            // exactly the tiles: never padded
  order(17);               // where tile number 17 is: {row, col}
  order.index({3, 2});     // its inverse
  // clang-format on
  CHECK(grid == heddle::extent{32, 32});
  CHECK(order.size() == 1024);
  CHECK(order(17) == heddle::coord{2, 1});
  CHECK(order.index({3, 2}) == 26);
}

// The code that docs/order.md and the comments of the orders show.

#include <heddle/order.hpp>

#include "test.hpp"

TEST_CASE("The order in the docs is what it says", "[order]") {
  const heddle::extent grid = heddle::ceil_div(4001, 8192, {128, 256});  // tiles, the ragged ones included
  const heddle::cta_swizzle order{grid, /*width*/ 8, heddle::axis::x};
  // clang-format off
  order.size();            // the exact number of tiles: no padding
  order(17);               // {row, col} of tile number 17
  order.index({3, 2});     // the inverse
  // clang-format on
  CHECK(grid == heddle::extent{32, 32});
  CHECK(order.size() == 1024);
  CHECK(order(17) == heddle::coord{2, 1});
  CHECK(order.index({3, 2}) == 26);
}

using namespace heddle;

TEST_CASE("The rasters in the comments are what they say", "[order]") {
  constexpr row_major rows{{2, 4}};
  static_assert(rows(5) == coord{1, 1} && rows.index({1, 1}) == 5);
  constexpr column_major columns{{2, 4}};
  static_assert(columns(5) == coord{1, 2} && columns.index({1, 2}) == 5);
  CHECK(rows.size() == columns.size());
}

TEST_CASE("The curves in the comments are what they say", "[order]") {
  constexpr hilbert curve{{4, 4}};
  static_assert(curve(6) == coord{3, 1} && curve.index({3, 1}) == 6);
  constexpr morton z{{3, 5}};
  static_assert(z(12) == coord{0, 4} && z.index({0, 4}) == 12);
  CHECK(curve.size() == z.size() + 1);
}

TEST_CASE("The adapters in the comments are what they say", "[order]") {
  constexpr reversed backwards{row_major{{2, 3}}};
  static_assert(backwards(0) == coord{1, 2});
  constexpr rotated later{row_major{{2, 3}}, 4};
  static_assert(later(0) == coord{1, 1} && later(2) == coord{0, 0});
  constexpr transposed turned{row_major{{2, 3}}};
  static_assert(turned.space() == extent{3, 2} && turned(3) == coord{0, 1});
  constexpr constant_order<cta_swizzle, 64, 64, 8, axis::x> fixed;
  static_assert(fixed(9) == cta_swizzle{{64, 64}, 8, axis::x}(9));
  CHECK(backwards.size() == turned.size());
  CHECK(later.size() == turned.size());
  CHECK(fixed.size() == 4096);
}

TEST_CASE("The clusters in the comments are what they say", "[order]") {
  constexpr extent grid{3, 4}, cluster{2, 2};
  constexpr clustered order{row_major{ceil_div(grid, cluster)}, cluster, grid};
  static_assert(order.tile(/*cluster*/ 1, /*block*/ 2) == coord{1, 2});
  static_assert(!order.contains(order.tile(2, 2)));  // below the grid
  CHECK(order.size() == 4);
}

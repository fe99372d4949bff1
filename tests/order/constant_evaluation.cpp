// Every order in constant evaluation, which allows no undefined behaviour: an overflow would not compile.

#include <heddle/order.hpp>
#include <heddle/recipe.hpp>

#include "recipes.hpp"
#include "test.hpp"

using namespace heddle;
using heddle_test::recipes;

namespace {

template <class Order>
constexpr bool holds(const Order& order) {
  for (int i = 0; i < order.size(); ++i) {
    if (!order.space().contains(order(i)) || order.index(order(i)) != i) return false;
  }
  return true;
}

/// Checks the ends and the middle of a grid too large to walk.
template <class Order>
constexpr bool holds_at_ends(const Order& order) {
  for (const int i : {0, 1, order.size() / 2, order.size() - 2, order.size() - 1}) {
    if (!order.space().contains(order(i)) || order.index(order(i)) != i) return false;
  }
  return true;
}

constexpr bool all_hold(extent grid) {
  for (const recipe& by : recipes) {
    if (!with_recipe(by, grid, [](const auto& order) { return holds(order); })) return false;
  }
  return holds(clustered{hilbert{ceil_div(grid, {2, 2})}, {2, 2}, grid});
}

constexpr bool all_hold_at_ends(extent grid) {
  constexpr int huge = 0x7fffffff;
  for (recipe by : recipes) {
    for (const int width : {1, 3, 46341, 0x40000001, huge}) {
      if (by.has_width()) by.width = width;
      for (const extent step : {extent{1, 1}, extent{2, 3}, extent{huge, 1}, extent{1, huge}}) {
        by.step = by.has_step() ? step : extent{1, 1};
        by.axis = step.rows == 1 ? axis::x : axis::y;
        if (!with_recipe(by, grid, [](const auto& order) { return holds_at_ends(order); })) return false;
      }
      if (!by.has_width()) break;
    }
  }
  return true;
}

static_assert(all_hold({1, 1}) && all_hold({1, 9}) && all_hold({9, 1}) && all_hold({7, 5}) && all_hold({5, 8}));
static_assert(all_hold_at_ends({1, 0x7fffffff}) && all_hold_at_ends({0x7fffffff, 1}));
static_assert(all_hold_at_ends({46340, 46341}) && all_hold_at_ends({46341, 46340}));
static_assert(all_hold_at_ends({3, 715827882}) && all_hold_at_ends({715827882, 3}));

static_assert(grid_order<row_major> && grid_order<column_major> && grid_order<thread_group_tiling>);
static_assert(grid_order<cta_swizzle> && grid_order<hilbert> && grid_order<morton> && grid_order<dilated>);
static_assert(grid_order<tile_table> && grid_order<reversed<hilbert>> && grid_order<transposed<hilbert>>);
static_assert(grid_order<clustered<hilbert>> && grid_order<constant_order<row_major, 3, 4>>);

}  // namespace

TEST_CASE("Every order holds in constant evaluation", "[order]") {
  CHECK(all_hold({11, 13}));  // and here at run time; the assertions above are the test
}

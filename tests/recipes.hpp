#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <heddle/recipe/recipe.hpp>

namespace heddle_test {

using heddle::recipe;

/// A recipe of every order, and then some of every adapter: tests of orders, of tables and of kernels go over them.
inline constexpr auto recipes = [] {
  std::array<recipe, recipe::own + 3> all{};
  for (int kind = 0; kind < recipe::own; ++kind) {
    recipe& by = all[static_cast<std::size_t>(kind)];
    by.order = static_cast<recipe::order_kind>(kind);
    if (by.has_width()) by.width = 3;
    if (by.has_axis()) by.axis = heddle::axis::y;
    if (by.has_step()) by.step = {2, 3};
  }
  all[recipe::own] = {.order = recipe::cta_swizzle, .width = 5, .reversed = true};
  all[recipe::own + 1] = {.order = recipe::cta_swizzle, .width = 2, .transposed = true, .first = 1};
  all[recipe::own + 2] = {.order = recipe::hilbert, .transposed = true, .reversed = true, .first = 1};
  return all;
}();

/// Calls `f` with a recipe in every width up to `most`, and along either axis, where its order has them.
template <class F>
constexpr void in_every_width(recipe by, int most, const F& f) {
  if (!by.has_width()) return f(by);
  for (by.width = 1; by.width <= most; ++by.width) {
    by.axis = heddle::axis::x;
    f(by);
    by.axis = heddle::axis::y;
    if (by.has_axis()) f(by);
  }
}

/// Calls `f` with the kind of each scheduler that `with_recipe` builds, as a constant.
template <class F>
void in_every_schedule(const F& f) {
  [&]<int... Kind>(std::integer_sequence<int, Kind...>) {
    (f(std::integral_constant<recipe::schedule_kind, static_cast<recipe::schedule_kind>(Kind)>()), ...);
  }
  (std::make_integer_sequence<int, recipe::stream_k>());
}

}  // namespace heddle_test

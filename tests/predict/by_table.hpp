#pragma once

#include <heddle/recipe/with.hpp>

namespace heddle_test {

/// Calls `f` with the order of a recipe as a table: `f` is compiled once.
template <class F>
auto by_table(const heddle::recipe& by, heddle::extent grid, const F& f) {
  const heddle::tile_table::entries entries = heddle::make_tile_table(by, grid);
  return f(heddle::tile_table{grid, entries.data()});
}

}  // namespace heddle_test

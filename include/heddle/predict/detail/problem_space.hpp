#pragma once

#include <heddle/concepts.hpp>

// Where the tiles of a problem are: in its `space()`, or in the rectangle of its `grid()`.

namespace heddle::inline HEDDLE_ABI::detail {

/// Counts and numbers tiles, on the host: a `tile_space`, or a space that owns memory.
template <class Space>
concept counted_space = counts_tiles<Space> && numbers_tiles<Space>;

/// Returns a space that is counted, or a reference to one.
template <class Result>
concept gives_counted_space = counted_space<typename plain<Result>::type>;

template <class Problem>
concept problem_of_space = requires(const Problem& problem) {
  { problem.space() } -> gives_counted_space;
};

template <class Problem>
concept problem_of_grid = !problem_of_space<Problem> && requires(const Problem& problem) {
  { problem.grid() } -> gives<extent>;
};

template <problem_of_grid Problem>
extent tiles_of(const Problem& problem) {
  return problem.grid();
}
template <problem_of_space Problem>
auto tiles_of(const Problem& problem) {
  return problem.space();
}

/// Returns a number of cells.
template <class Result>
concept gives_count = gives<Result, int> || gives<Result, long long>;

/// What a problem calls a tile.
template <class Problem>
using tile_of_problem = typename tile_in<decltype(tiles_of(any<Problem>()))>::type;

}  // namespace heddle::inline HEDDLE_ABI::detail

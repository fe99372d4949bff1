#pragma once

#include <algorithm>

#include <heddle/concepts.hpp>
#include <heddle/invalid_argument.hpp>

// Where the tiles of a problem are, in its `space()` or in the rectangle of its `grid()`, and how many.

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

/// Returns the number of tiles that cover `size`.
constexpr int tiles_along(long long size, int tile) {
  return static_cast<int>((size + tile - 1) / tile);
}

/// Refuses a problem whose bytes, read and written together, do not fit in 64 bits. `bytes` is an upper bound of
/// either, for which a double is precise enough.
constexpr void require_countable(const char* name, double bytes) {
  constexpr long long exabytes = 4;
  if (bytes > 1e18 * exabytes)
    refuse(name, bytes < 9e36 ? static_cast<long long>(bytes / 1e18) : 0x7fffffffffffffff, "at most", exabytes);
}

/// Returns the size of a step that replaces `step`, so that a replay has at most 64 steps.
constexpr int merged_step(long long size, long long step) {
  const long long steps = (size + step - 1) / step, merged = (steps - 1) / 64 + 1;
  return static_cast<int>((std::min)(0x7fffffffLL, step * merged));
}

}  // namespace heddle::inline HEDDLE_ABI::detail

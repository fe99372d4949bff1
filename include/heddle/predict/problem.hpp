#pragma once

#include <algorithm>
#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/invalid_argument.hpp>
#include <heddle/predict/advice_rules.hpp>
#include <heddle/predict/device.hpp>
#include <heddle/predict/traffic_report.hpp>

// What `traffic` and `advise` need of a problem: one concept, made of one piece per member function. Each piece has the
// name of its member, so that the compiler names the one that is missing or misspelt. No member is optional; each
// comment gives the line to write for a problem that has nothing to say there.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Counts and numbers tiles, on the host: a `tile_space`, or a space that owns memory.
template <class Space>
concept counted_space = counts_tiles<Space> && numbers_tiles<Space>;

/// Returns a space that is counted, or a reference to one.
template <class Result>
concept gives_counted_space = counted_space<typename plain<Result>::type>;

/// Returns a number of cells.
template <class Result>
concept gives_count = gives<Result, int> || gives<Result, long long>;

/// Returns the number of tiles that cover `size`.
constexpr int tiles_along(long long size, int tile) {
  require_at_least(1, "heddle::predict: elements of a tile", tile);
  return static_cast<int>((size + tile - 1) / tile);
}

/// Returns the size of a step that replaces `step`, so that a replay has at most 64 steps.
constexpr int merged_step(long long size, long long step) {
  const long long steps = (size + step - 1) / step, merged = (steps - 1) / 64 + 1;
  return static_cast<int>((std::min)(0x7fffffffLL, step * merged));
}

/// Returns a problem with a larger `step` along `size`, so that a replay has at most 64 steps.
template <class Problem>
constexpr Problem in_merged_steps(Problem of, int Problem::*step, long long size) {
  of.*step = merged_step(size, of.*step);
  return of;
}

}}}  // namespace heddle::HEDDLE_ABI::detail

namespace heddle { inline namespace HEDDLE_ABI {
namespace predict {

/// Requires `check()`, which throws an `invalid_argument` that names the value and the limit. `void check() const {}`
/// refuses nothing.
template <class Problem>
concept has_check = requires(const Problem& problem) {
  problem.check();
};

/// Requires `grid()`: the tiles, one per block.
template <class Problem>
concept has_grid = requires(const Problem& problem) {
  { problem.grid() } -> detail::gives<extent>;
};

/// Requires `space()`, for tiles that are no rectangle: a `batch`, a `triangle`, or any type that has the members of a
/// `tile_space`.
template <class Problem>
concept has_space = requires(const Problem& problem) {
  { problem.space() } -> detail::gives_counted_space;
};

/// Requires either `grid()` or `space()`.
template <class Problem>
concept has_tiles = has_grid<Problem> || has_space<Problem>;

}  // namespace predict

namespace detail {

template <predict::has_tiles Problem>
auto tiles_of(const Problem& problem) {
  if constexpr (predict::has_space<Problem>) {
    return problem.space();
  } else {
    return problem.grid();
  }
}

/// What a problem calls a tile.
template <class Problem>
using tile_of_problem = typename tile_in<decltype(tiles_of(any<Problem>()))>::type;

}  // namespace detail

namespace predict {

/// Requires `compulsory_bytes()`: the bytes that any order must read, which all waves together read with an endless
/// cache.
template <class Problem>
concept has_compulsory_bytes = requires(const Problem& problem) {
  { problem.compulsory_bytes() } -> detail::gives<long long>;
};

/// Requires what `replay` returns: a function that takes the tiles of one wave after another and returns what each
/// moves, with two counts of what was done so far. `bytes_again()` is the bytes read from DRAM again because the cache
/// had dropped them; `cells_read()` is the pieces of memory looked up, by which `advise` bounds its
/// time. A replay can be copied.
template <class Replay, class Tile = coord>
concept wave_replay = requires(Replay replay, const Replay& so_far, const std::vector<Tile>& wave) {
  { replay(wave) } -> detail::gives<wave_traffic>;
  { so_far.bytes_again() } -> detail::gives<long long>;
  { so_far.cells_read() } -> detail::gives<long long>;
};

/// Requires `replay(cache_bytes)`: a replay that begins with an empty cache of that size. A `cell_problem` writes
/// `auto replay(long long bytes) const { return tile_replay{*this, bytes}; }`.
template <class Problem>
concept has_replay = requires(const Problem& problem, long long cache_bytes) {
  { problem.replay(cache_bytes) } -> wave_replay<detail::tile_of_problem<Problem>>;
};

/// Requires `coarse_replay(cache_bytes)`: the replay that `advise` runs once per order, with fewer and larger cells
/// that move about as many bytes. `return replay(cache_bytes);` runs the exact one.
template <class Problem>
concept has_coarse_replay = requires(const Problem& problem, long long cache_bytes) {
  { problem.coarse_replay(cache_bytes) } -> wave_replay<detail::tile_of_problem<Problem>>;
};

/// Requires `cost(tile)`: what a tile takes of the matrix unit, in multiplications and additions of 2-byte elements.
/// `return 0;` says that it takes nothing.
template <class Problem>
concept has_cost = requires(const Problem& problem, const detail::tile_of_problem<Problem>& tile) {
  { problem.cost(tile) } -> detail::gives<double>;
};

/// Requires `rules(device, blocks_per_multiprocessor)`: what was measured of such problems. `return {};` suits a
/// problem without measurements.
template <class Problem>
concept has_rules = requires(const Problem& problem, const device& device, int blocks_per_multiprocessor) {
  { problem.rules(device, blocks_per_multiprocessor) } -> detail::gives<advice_rules>;
};

/// Requires a problem that `traffic` can replay, over a grid or over another space.
template <class Problem>
concept traffic_problem = has_check<Problem> && has_tiles<Problem> && has_compulsory_bytes<Problem> &&
    has_replay<Problem> && has_rules<Problem>;

/// Requires a problem that `advise` can answer. Models: `gemm_problem`, `stencil_problem`, `batched_problem`,
/// `grouped_problem`, `causal_problem`, `pairs_problem`.
///
/// **Example** (examples/01_order/attention.hpp):
///
///     static_assert(heddle::predict::problem<attention>);
template <class Problem>
concept problem = traffic_problem<Problem> && has_coarse_replay<Problem> && has_cost<Problem>;

static_assert(!problem<int> && !problem<extent> && !wave_replay<extent>);

}  // namespace predict
}}  // namespace heddle::HEDDLE_ABI

#pragma once

#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/predict/advice.hpp>
#include <heddle/predict/advice_rules.hpp>
#include <heddle/predict/device.hpp>
#include <heddle/predict/overlap.hpp>
#include <heddle/predict/wave_traffic.hpp>

// What `traffic` and `advise` need of a problem: one concept, and one piece of it per member function. A piece has the
// name of its member, so that a compiler's message says which one is missing or misspelt. No member is optional; where
// a problem has nothing to say, the comment gives the line to write.

namespace heddle::inline HEDDLE_ABI::predict {

/// `check()`: throws an `invalid_argument` that names the value and the limit. `void check() const {}` refuses nothing.
template <class Problem>
concept has_check = requires(const Problem& problem) {
  problem.check();
};

/// `grid()`: the tiles, one per block.
template <class Problem>
concept has_grid = requires(const Problem& problem) {
  { problem.grid() } -> detail::gives<extent>;
};

/// `compulsory_bytes()`: what any order must read, which is what all waves together read with an endless cache.
template <class Problem>
concept has_compulsory_bytes = requires(const Problem& problem) {
  { problem.compulsory_bytes() } -> detail::gives<long long>;
};

/// Returned by `replay`: takes the tiles of one wave after another, and returns what each wave moves. `bytes_again()`
/// is the part of all DRAM reads so far that the cache had held before and dropped.
template <class Replay>
concept wave_replay = requires(Replay replay, const Replay& so_far, const std::vector<coord>& wave) {
  { replay(wave) } -> detail::gives<wave_traffic>;
  { so_far.bytes_again() } -> detail::gives<long long>;
};

/// `replay(cache_bytes)`: a replay that begins with an empty cache of that size. A problem that says which cells of
/// memory a tile reads writes `auto replay(long long bytes) const { return tile_replay{*this, bytes}; }`.
template <class Problem>
concept has_replay = requires(const Problem& problem, long long cache_bytes) {
  { problem.replay(cache_bytes) } -> wave_replay;
};

/// `coarse_replay(cache_bytes)`: the replay that `advise` runs, once per order that it tries: of fewer and larger cells
/// that move about as many bytes. `return replay(cache_bytes)` runs the exact one.
template <class Problem>
concept has_coarse_replay = requires(const Problem& problem, long long cache_bytes) {
  { problem.coarse_replay(cache_bytes) } -> wave_replay;
};

/// `matrix_operations()`: multiplications and additions of the matrix unit, in 2-byte elements; else `return 0`.
template <class Problem>
concept has_matrix_operations = requires(const Problem& problem) {
  { problem.matrix_operations() } -> detail::gives<double>;
};

/// `closest_overlap()`: of a tile and the tile that shares most with it. `return {}` where tiles share nothing.
template <class Problem>
concept has_closest_overlap = requires(const Problem& problem) {
  { problem.closest_overlap() } -> detail::gives<overlap>;
};

/// `rules(blocks_per_multiprocessor)`: what was measured of such problems; else `return {}`.
template <class Problem>
concept has_rules = requires(const Problem& problem, int blocks_per_multiprocessor) {
  { problem.rules(blocks_per_multiprocessor) } -> detail::gives<advice_rules>;
};

/// `refined(advice, device, blocks_per_multiprocessor)`: the last word. It takes the advice that is best for DRAM, and
/// returns it, or a better one for a unit that the replay leaves out. `return found` changes nothing.
template <class Problem>
concept has_refined = requires(const Problem& problem, const advice& found, const device& device,
                               int blocks_per_multiprocessor) {
  { problem.refined(found, device, blocks_per_multiprocessor) } -> detail::gives<advice>;
};

/// What `traffic` and `advise` can be asked about. Models: `gemm_problem`, `stencil_problem`.
template <class Problem>
concept problem = has_check<Problem> && has_grid<Problem> && has_compulsory_bytes<Problem> && has_replay<Problem> &&
    has_coarse_replay<Problem> && has_matrix_operations<Problem> && has_closest_overlap<Problem> &&
    has_rules<Problem> && has_refined<Problem>;

static_assert(!problem<int> && !problem<extent> && !wave_replay<extent>);

}  // namespace heddle::inline HEDDLE_ABI::predict

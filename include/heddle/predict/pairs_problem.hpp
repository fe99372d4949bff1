#pragma once

#include <algorithm>

#include <heddle/order/triangle.hpp>
#include <heddle/predict/detail/device_members.hpp>
#include <heddle/predict/problem.hpp>
#include <heddle/predict/tile_replay.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Describes a value of each pair i < j of so many things, such as distances or boxes that overlap. A block has the
/// pairs of `tile_things` things with as many others, and reads `step_elements` elements of each per step.
///
///   things 5, tile_things 2      0 1 2      the tiles; the last thing alone has no pair
///                                  3 4
///
/// **Preconditions**: counts are at least 0, tiles and steps at least 1, and the tiles at most 2^31 - 1; `check()`
/// refuses anything else.
/// **Example** (tests/predict/spaces.cpp):
///
///     const pairs_problem distances{.things = 1000, .elements = 100};
struct pairs_problem {
  static constexpr int usual_blocks = 1;  // per multiprocessor, unless `advise` is told
  int things;                             // every two of which are a pair
  int elements;                           // of a thing
  int tile_things = 64;                   // along either side of a tile
  int step_elements = 32;                 // of a step
  int element_bytes = 4;                  // bytes of an element
  int pair_bytes = 4;                     // that a block writes for each pair

  /// Returns the tiles: those with a pair.
  triangle space() const {
    check();
    return triangle::pairs(things, tile_things);
  }

  /// Returns the bytes of all things: any order must read them once.
  long long compulsory_bytes() const {
    check();
    return things > 1 ? 1LL * things * elements * element_bytes : 0;
  }

  /// Returns what a tile takes of the matrix unit: nothing.
  double cost(coord) const { return 0; }

  /// Returns the number of cells: for each step the elements of the things of a tile.
  long long cells() const { return 1LL * detail::tiles_along(things, tile_things) * steps(); }
  /// Returns the steps of a tile.
  int steps() const { return (std::max)(1, detail::tiles_along(elements, step_elements)); }

  /// Calls `read(cell, bytes)` for each cell that a tile reads in a step.
  template <class Read>
  void reads(coord tile, int step, const Read& read) const {
    const int here = (std::min)(step_elements, elements - step * step_elements);
    const auto read_stripe = [&](int stripe) {
      read(1LL * stripe * steps() + step, 1LL * things_of(stripe) * here * element_bytes);
    };
    if (here <= 0) return;
    read_stripe(tile.row);
    if (tile.col != tile.row) read_stripe(tile.col);
  }

  /// Returns the bytes that a tile writes: those of its pairs.
  long long written_bytes(coord tile) const {
    const long long rows = things_of(tile.row), cols = things_of(tile.col);
    return pair_bytes * (tile.row == tile.col ? rows * (rows - 1) / 2 : rows * cols);
  }

  /// Returns a replay whose waves go in lockstep along the elements.
  auto replay(long long cache_bytes) const { return tile_replay{*this, cache_bytes}; }

  /// Returns a quicker replay, which merges steps until at most 64 are left.
  auto coarse_replay(long long cache_bytes) const {
    return detail::in_merged_steps(*this, &pairs_problem::step_elements, elements).replay(cache_bytes);
  }

  /// Returns no rules: none was measured.
  advice_rules rules(const device&, int) const { return {}; }

  /// Refuses values that cannot be right with an `invalid_argument`, which names the value and the limit.
  void check() const {
    detail::require_members("pairs_problem", {{"things", things},
                                              {"elements", elements},
                                              {"tile_things", tile_things, 1},
                                              {"step_elements", step_elements, 1},
                                              {"element_bytes", element_bytes, 1, 64},
                                              {"pair_bytes", pair_bytes, 0, 64}});
    const double stripes = detail::tiles_along(things, tile_things);
    detail::require_countable("pairs_problem", "requested", stripes * things * elements * element_bytes);
  }

 private:
  long long things_of(int stripe) const { return (std::min)(tile_things, things - stripe * tile_things); }
};

static_assert(problem<pairs_problem> && cell_problem<pairs_problem>);

}}}  // namespace heddle::HEDDLE_ABI::predict

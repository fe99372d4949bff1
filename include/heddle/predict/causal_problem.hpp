#pragma once

#include <algorithm>

#include <heddle/predict/detail/device_members.hpp>
#include <heddle/predict/problem.hpp>
#include <heddle/predict/tile_replay.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Describes causal attention: a block has `tile_queries` queries of one head, and goes through the keys and values up
/// to the diagonal, `tile_keys` per step. The last query of a head sees its last key, and each query before it one key
/// less. heads / key_heads heads of queries share the keys and values of one head. Heads of a batch count together.
///
///   queries 4, keys 6      1 1 1 . . .      a row: what one query sees
///                          1 1 1 1 . .
///                          1 1 1 1 1 .
///                          1 1 1 1 1 1
///
/// **Preconditions**: extents are at least 0, tiles at least 1, and `heads` a multiple of `key_heads`, which is 0 only
/// if `heads` is; `check()` refuses anything else.
/// **Example** (tests/predict/spaces.cpp):
///
///     const causal_problem pass{.queries = 16384, .keys = 16384, .heads = 32, .key_heads = 8};
struct causal_problem {
  static constexpr int usual_blocks = 1;    // per multiprocessor, unless `advise` is told
  int queries, keys;                        // of a head
  int heads, key_heads = heads;             // of queries; of keys and values
  int width = 128;                          // elements of a query, a key and a value
  int tile_queries = 128, tile_keys = 128;  // of a block; of a step
  int element_bytes = 2;                    // bytes of an element
  double operations_per_second = 0;  // that the kernel reaches, as of a `gemm_problem`; 0: the rate of the device

  /// Returns the tiles: a row per tile of queries, a column per head.
  extent grid() const {
    check();
    return {detail::tiles_along(queries, tile_queries), heads};
  }

  /// Returns the keys that some query of a row of tiles sees.
  int keys_seen(int row) const {
    return static_cast<int>((std::max)(0LL, (std::min)(1LL * queries, (row + 1LL) * tile_queries) + keys - queries));
  }

  /// Returns the bytes of queries, keys and values: any order must read them once.
  long long compulsory_bytes() const {
    check();
    return heads > 0 && queries > 0 ? 1LL * width * element_bytes * (1LL * heads * queries + 2LL * key_heads * keys)
                                    : 0;
  }

  /// Returns what a tile takes of the matrix unit, which multiplies whole steps of keys. It grows with the row.
  double cost(coord tile) const {
    const double seen = 1.0 * detail::tiles_along(keys_seen(tile.row), tile_keys) * tile_keys;
    return 2.0 * tile_queries * seen * width * element_bytes;
  }

  /// Returns the number of cells: the tiles of queries, then the steps of keys together with their values.
  long long cells() const { return grid().size() + 1LL * key_heads * steps(); }

  /// Returns the steps of a tile that sees all keys.
  int steps() const { return (std::max)(1, detail::tiles_along(keys, tile_keys)); }

  /// Calls `read(cell, bytes)` for each cell that a tile reads in a step.
  template <class Read>
  void reads(coord tile, int step, const Read& read) const {
    const int rows = detail::tiles_along(queries, tile_queries);
    if (step == 0) read(1LL * tile.col * rows + tile.row, written_bytes(tile));
    const int begin = step * tile_keys;
    if (begin >= keys_seen(tile.row)) return;
    const int key_head = tile.col / (heads / key_heads);
    read(1LL * rows * heads + 1LL * key_head * steps() + step,
         2 * 1LL * width * element_bytes * (std::min)(tile_keys, keys - begin));
  }

  /// Returns the bytes that a tile writes: as many as its queries have.
  long long written_bytes(coord tile) const {
    return 1LL * width * element_bytes * (std::min)(tile_queries, queries - tile.row * tile_queries);
  }

  /// Returns a replay whose waves go in lockstep along the keys.
  auto replay(long long cache_bytes) const { return tile_replay{*this, cache_bytes}; }

  /// Returns a quicker replay, which merges steps until at most 64 are left.
  auto coarse_replay(long long cache_bytes) const {
    return detail::in_merged_steps(*this, &causal_problem::tile_keys, keys).replay(cache_bytes);
  }

  /// Returns sections of heads with their longest tiles first, up to sixteen tiles per block, which end evenly: drawn
  /// late, within 2 % of the best section on an H100. Blocks on one multiprocessor drift apart, as was measured of
  /// products.
  advice_rules rules(const device& device, int blocks_per_multiprocessor) const {
    advice_rules rules{.blocks_go_in_step = false,
                       .plain = {recipe::thread_group_tiling, 1, axis::x},  // head after head
                       .margin = 0,
                       .error = 0.12,
                       .beyond_one_wave = recipe::late_ticket,
                       .matrix_operations_per_second = operations_per_second * element_bytes / 2};
    long long together = (std::max)(1, heads / (std::max)(1, key_heads)), before = 0;
    const long long blocks = 1LL * device.multiprocessors * blocks_per_multiprocessor;
    for (; before == 0 || (before < heads && before * grid().rows < 16 * blocks); before = together, together *= 2) {
      const long long width_of_section = (std::min<long long>)(together, (std::max)(1, heads));
      rules.launches.push_back({recipe::thread_group_tiling, static_cast<int>(width_of_section)});
      rules.launches.back().reversed = true;
    }
    return rules;
  }

  /// Refuses values that cannot be right with an `invalid_argument`, which names the value and the limit.
  void check() const {
    detail::require_members("causal_problem", {{"queries", queries},
                                               {"keys", keys},
                                               {"heads", heads},
                                               {"key_heads", key_heads, heads > 0 ? 1 : 0},
                                               {"width", width, 1},
                                               {"tile_queries", tile_queries, 1},
                                               {"tile_keys", tile_keys, 1},
                                               {"element_bytes", element_bytes, 1, 64}});
    if (heads > 0 && heads % key_heads != 0)
      detail::refuse("heddle::predict::causal_problem: heads", heads, "a multiple of", key_heads);
    detail::require_member("causal_problem", "operations_per_second", operations_per_second, detail::of_rate);
    const double tiles = 1.0 * detail::tiles_along(queries, tile_queries) * heads;
    detail::require_countable("causal_problem", "requested",
                              tiles * (1.0 * tile_queries + 2.0 * keys) * width * element_bytes);
  }
};

static_assert(problem<causal_problem> && cell_problem<causal_problem>);

}}}  // namespace heddle::HEDDLE_ABI::predict

#pragma once

#include <algorithm>

#include <heddle/invalid_argument.hpp>
#include <heddle/predict/advise.hpp>
#include <heddle/predict/tile_replay.hpp>

/// Describes attention with `heads` query heads; heads / key_heads of them share one head of keys and values. A block
/// has `tile_queries` queries of one head and goes through all keys of that head, `tile_keys` per step.
struct attention {
  int queries, keys;  // per head
  int heads, key_heads;
  int width = 128;  // elements of 2 bytes per query, key and value
  int tile_queries = 128, tile_keys = 128;

  void check() const {
    const auto at_least_1 = [](const char* name, int value) {
      if (value < 1) throw heddle::invalid_argument(name, value, "at least", 1);
    };
    at_least_1("attention: queries", queries);
    at_least_1("attention: keys", keys);
    at_least_1("attention: key_heads", key_heads);
    at_least_1("attention: width", width);
    at_least_1("attention: tile_queries", tile_queries);
    at_least_1("attention: tile_keys", tile_keys);
    if (heads < 1 || heads % key_heads != 0) {
      throw heddle::invalid_argument("attention: heads", heads, "a multiple of", key_heads);
    }
  }

  // The tiles: one row per tile of queries, one column per head.
  heddle::extent grid() const { return {(queries - 1) / tile_queries + 1, heads}; }

  /// Counts each query, each key and each value once.
  long long compulsory_bytes() const { return 2LL * width * (1LL * heads * queries + 2LL * key_heads * keys); }

  /// Counts the product of queries and keys, and the product of its result and the values.
  double matrix_operations() const { return 4.0 * heads * queries * keys * width; }

  // A cell is read as a whole: first the tiles of queries, then those of keys together with their values.
  int cells() const { return grid().size() + key_heads * steps(); }
  int steps() const { return (keys - 1) / tile_keys + 1; }

  template <class Read>
  void reads(heddle::coord tile, int step, const Read& read) const {
    if (step == 0) read(tile.row * heads + tile.col, bytes_of_queries(tile));
    const int key_head = tile.col / (heads / key_heads);
    const int keys_of_step = (std::min)(tile_keys, keys - step * tile_keys);
    read(grid().size() + key_head * steps() + step, 2LL * 2 * width * keys_of_step);
  }

  long long written_bytes(heddle::coord tile) const { return bytes_of_queries(tile); }

  auto replay(long long cache_bytes) const { return heddle::predict::tile_replay{*this, cache_bytes}; }

  /// Replays at most 32 steps, which makes `advise` quicker.
  auto coarse_replay(long long cache_bytes) const {
    attention merged = *this;
    merged.tile_keys *= (steps() - 1) / 32 + 1;
    return merged.replay(cache_bytes);
  }

  /// Tiles of one head share all its keys and values. So do tiles of neighbouring heads that share a head of keys.
  heddle::predict::overlap closest_overlap() const {
    const bool in_column = grid().rows > 1, in_row = heads > key_heads;
    const double shared = in_column || in_row ? 2.0 * keys : 0.0, all = 2.0 * keys + (std::min)(tile_queries, queries);
    return {shared / all, 1, in_column ? heddle::axis::y : heddle::axis::x};
  }

  /// Assumes what was measured of products: blocks on one multiprocessor drift apart. Attention was not measured.
  heddle::predict::advice_rules rules(const heddle::predict::device&, int) const {
    return {.blocks_go_in_step = false};
  }

  heddle::predict::advice refined(const heddle::predict::advice& found, const heddle::predict::device&, int) const {
    return found;
  }

 private:
  long long bytes_of_queries(heddle::coord tile) const {
    return 2LL * width * (std::min)(tile_queries, queries - tile.row * tile_queries);
  }
};

static_assert(heddle::predict::problem<attention>);

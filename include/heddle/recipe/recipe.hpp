#pragma once

#include <heddle/coord.hpp>
#include <heddle/order/groups.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Describes a launch as a value: an order of its tiles and a scheduler, with their numbers. An advice is one, a
/// candidate holds one, and a text or a link says one. Members that its order or its scheduler does not use keep their
/// defaults.
///
/// The order is that of a grid, of a plane or of each group. The other members go around it, in this order:
///
///   a grid       order of the grid, or of the transposed grid, and each of its tiles transposed
///                reversed{…}, then rotated{…, first}, and clustered{…, cluster, tiles} of a grid of clusters
///   a batch      batched{…, count, interleave}
///   groups       grouped{shape, state, width, axis, sequence}
///
/// **Example** (tests/recipe/recipe.cpp):
///
///     const recipe by{.order = recipe::cta_swizzle, .width = 8, .schedule = recipe::ticket};
///     CHECK(to_string(by) == "cta_swizzle, width 8, axis x, ticket");
struct recipe {
  /// Names the orders of a grid, the simplest first.
  enum order_kind {
    row_major,            // row after row
    column_major,         // column after column
    thread_group_tiling,  // bands
    cta_swizzle,          // bands in serpentine
    hilbert,              // Hilbert's curve
    morton,               // Morton's curve
    dilated,              // tiles one step apart as neighbours
    own                   // an order of the user's, as a table
  };

  /// Names the schedulers. Where traffic is replayed all blocks go in step: those of `strided`, `ticket`,
  /// `late_ticket`, `work_stealing`, `cluster_launch` and `stream_k` then take the same waves as those of `one_shot`.
  enum schedule_kind {
    one_shot,        // one tile per block
    strided,         // block b takes tiles b, b + G, b + 2G, … of G blocks
    chunked,         // each block takes a contiguous run
    ticket,          // blocks draw tile after tile
    late_ticket,     // as `ticket`, and no block draws ahead: draws_late{ticket}
    sm_affine,       // the blocks of a multiprocessor draw from a run of their own
    work_stealing,   // as `strided`; a block that has used up its tiles takes those of others
    cluster_launch,  // as `one_shot`; from sm_100 on a block that is done takes over the next one
    stream_k         // as `strided`; blocks share the tiles that are left for the last wave
  };

  /// The names of the orders, as they are numbered.
  static constexpr const char* order_names[] = {
      "row_major", "column_major", "thread_group_tiling", "cta_swizzle", "hilbert", "morton", "dilated", "own"};
  /// The names of the schedulers, as they are numbered.
  static constexpr const char* schedule_names[] = {"one_shot",      "strided",        "chunked",
                                                   "ticket",        "late_ticket",    "sm_affine",
                                                   "work_stealing", "cluster_launch", "stream_k"};

  /// Lists schedulers for which `with_recipe` compiles a kernel, and knows the bytes of a state for any of them.
  template <schedule_kind... Kinds>
  struct schedules;

  order_kind order = row_major;         // of the tiles
  int width = 0;                        // of bands, and of the strips of dilated, in tiles
  heddle::axis axis = heddle::axis::x;  // of bands
  extent step{1, 1};                    // of dilated, in tiles
  bool transposed = false;              // whether rows and columns change places
  bool reversed = false;                // whether the order is walked from its end
  int first = 0;                        // of rotated: the place of the first tile
  extent cluster{1, 1};                 // the tiles of a cluster
  int interleave = 1;                   // planes of a batch in turn
  group_sequence sequence{};            // which group comes first
  schedule_kind schedule = one_shot;    // which block takes which tile
  int run = 1;                          // of sm_affine, in tiles
  int sharers = 0;                      // of stream_k: workers that share the tiles of the last wave

  /// Returns whether the order uses `width`.
  HEDDLE_HOST bool has_width() const { return has_axis() || has_step(); }
  /// Returns whether the order uses `axis`.
  HEDDLE_HOST bool has_axis() const { return order == thread_group_tiling || order == cta_swizzle; }
  /// Returns whether the order uses `step`.
  HEDDLE_HOST bool has_step() const { return order == dilated; }

  /// Returns the order alone, under one_shot.
  HEDDLE_HOST recipe order_alone() const {
    recipe alone = *this;
    alone.schedule = one_shot, alone.run = 1, alone.sharers = 0;
    return alone;
  }

  /// Compares all members.
  HEDDLE_HOST friend bool operator==(const recipe&, const recipe&) = default;
};

}}  // namespace heddle::HEDDLE_ABI

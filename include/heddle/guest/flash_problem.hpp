#pragma once

#include <heddle/order/column_major.hpp>
#include <heddle/order/grouped.hpp>
#include <heddle/order/reversed.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace guest {

/// Says what a launch of FlashAttention-3's forward kernel covers. `flash_tiles` makes one of `TileSchedulerArguments`,
/// and code that allocates a state makes one of the sizes that the state will serve.
///
/// A tile is `tile_rows` tokens of one head. Heads are counted as the kernel counts them: with `PackGQA` those of keys,
/// and a tile then has `tile_rows` tokens of all heads of queries that share one.
///
/// **Example** (tests/guests/flash.cpp):
///
///     flash_problem of{.blocks = 6, .heads = 2, .sequences = 5, .key_bytes = 40 << 20};
struct flash_problem {
  int blocks;                    // of queries, in the longest sequence
  int heads;                     // of each sequence
  int sequences;                 // of the batch
  int sharers = 1;               // heads that read the same keys and values
  long long key_bytes = 0;       // of the keys and values of one head of the longest sequence
  int tile_rows = 128;           // tokens of a tile
  const int* offsets = nullptr;  // of packed sequences, on the device: `cu_seqlens`
  void* state = nullptr;         // on the device: `tile_count_semaphore`

  /// Returns the grid of tiles: a column per head of each sequence.
  HEDDLE_HOST extent tiles() const { return {blocks, 1LL * heads * sequences}; }

  /// Returns how many heads should run together: all that share keys, and the power of two of these whose keys and
  /// values take at most 32 MB.
  HEDDLE_HOST long long heads_in_l2() const {
    constexpr long long bytes = 32 << 20;
    long long together = 1;
    while (key_bytes > 0 && 2 * together * key_bytes <= bytes && together < tiles().cols) together *= 2;
    return together * sharers;
  }
};

// Plans: what makes a scheduler of a problem. One of your own is a struct with a `scheduler_of` like these.

/// Deals out tiles that are even, head after head: full attention. It needs no state, and serves clusters of two.
struct head_after_head {
  /// Returns the scheduler of a launch.
  HEDDLE_HOST static auto scheduler_of(const flash_problem& of) { return strided{column_major{of.tiles()}}; }
};

/// Draws tiles, the longest first, in sections of heads whose keys and values stay in L2: causal and local attention.
struct longest_first {
  /// Returns the scheduler of a launch.
  HEDDLE_HOST static auto scheduler_of(const flash_problem& of) {
    return ticket{reversed{thread_group_tiling{of.tiles(), of.heads_in_l2(), axis::x}}, of.state};
  }
  /// Returns the bytes of the state, which is zeroed once.
  HEDDLE_FN static decltype(sizeof 0) state_bytes(const flash_problem&) { return ticket<>::state_bytes(); }
};

/// Draws the tiles of packed sequences, whose lengths only the device knows: by `lightest_first` the longest sequence
/// first, and of each sequence its longest tiles. `as_numbered` has a shorter preparation, for tiles that are even.
template <group_sequence Sequence = group_sequence::lightest_first>
struct packed_sequences {
  /// Returns the order of a launch, before it is reversed. Its preparation reads `offsets + 1`.
  HEDDLE_HOST static grouped order_of(const flash_problem& of) {
    void* const groups = of.state == nullptr ? nullptr : static_cast<char*>(of.state) + groups_at;
    return {shape_of(of), groups, of.heads_in_l2(), axis::x, Sequence};
  }
  /// Returns the scheduler of a launch.
  HEDDLE_HOST static auto scheduler_of(const flash_problem& of) { return ticket{reversed{order_of(of)}, of.state}; }
  /// Returns the bytes of the state, which is zeroed once.
  HEDDLE_HOST static decltype(sizeof 0) state_bytes(const flash_problem& of) {
    return groups_at + grouped::state_bytes(shape_of(of));
  }

 private:
  static constexpr int groups_at = 128;  // behind the state of the ticket, which other blocks write

  HEDDLE_HOST static group_shape shape_of(const flash_problem& of) {
    const long long rows = 1LL * of.sequences * of.blocks * of.tile_rows, most = 0x7fffffff;
    return {.rows = rows < most ? rows : most, .groups = of.sequences, .tile_rows = of.tile_rows, .cols = of.heads};
  }
};

}}}  // namespace heddle::HEDDLE_ABI::guest

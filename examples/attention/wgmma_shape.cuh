#pragma once

#include "arguments.cuh"
#include "hopper/load.cuh"
#include "hopper/relay.cuh"
#include "hopper/ring.cuh"
#include "hopper/roles.cuh"
#include "hopper/store.cuh"
#include "hopper/turns.cuh"

namespace attention {

/// With turns, the warpgroups issue one after the other. Under the sums, or behind them, scores become weights.
template <int Width, bool InTurns = true, bool UnderSums = true>
struct wgmma_shape {
  static constexpr int width = Width, tile_queries = 128, tile_keys = 128;
  static constexpr int consumers = tile_queries / 64, threads = 128 * (consumers + 1);
  static constexpr int boxes = Width / 64;  // of 64 elements, which are the 128 bytes of a swizzle
  static constexpr int stages = Width == 128 ? 5 : 8;
  static constexpr bool in_turns = InTurns, under_sums = UnderSums;
};

struct wgmma_arguments {
  CUtensorMap q, k, v, o;
  arguments of;
};

/// What the producer tells the consumers of a tile.
struct told_tile {
  sequence in;
  int query, rows;      // the first query, and queries; 0: there are no more tiles
  int last_key, steps;  // of the first step
};

template <class Shape, class Scheduler>
struct wgmma_memory {
  alignas(1024) unsigned char q[Shape::consumers][Shape::boxes][64 * 128];
  unsigned char o[Shape::consumers * 4][Shape::boxes][hopper::staged<64>::bytes];
  unsigned char kv[Shape::stages][Shape::boxes][Shape::tile_keys * 128];
  hopper::ring<1> of_q[Shape::consumers];  // each its own: one that is ahead does not wait for the other
  hopper::ring<Shape::stages> of_kv;
  hopper::turns turns;
  hopper::relay<told_tile> parts;
  typename Scheduler::storage scheduler;
};

}  // namespace attention

#pragma once

#include <heddle/schedule/seats.hpp>

#include "hopper/load.cuh"
#include "hopper/ring.cuh"
#include "hopper/store.cuh"
#include "hopper/turns.cuh"
#include "kernel.cuh"

namespace gemm {

/// The shape of a kernel: blocks that make `TileM` x `TileN` elements of C, in clusters of `ClusterM` x `ClusterN`.
///
/// `InTurn`: each of two warpgroups makes every other tile, and stores it while the other multiplies. `Transposed`: A
/// and B change places, so that M are the columns of C and N its rows: a tile may have any multiple of 8 rows.
template <int TileM, int TileN, int ClusterM, int ClusterN, bool InTurn = false, bool Transposed = (TileN < 64)>
struct wgmma_shape {
  static constexpr int tile_m = TileM, tile_n = TileN, tile_k = 64;  // 64 elements are the 128 bytes of a swizzle
  static constexpr int cluster_m = ClusterM, cluster_n = ClusterN, cluster = ClusterM * ClusterN;
  static constexpr bool in_turn = InTurn, transposed = Transposed;
  static constexpr heddle::extent tile = Transposed ? heddle::extent{TileN, TileM} : heddle::extent{TileM, TileN};
  static constexpr heddle::extent tiles_of_cluster =
      Transposed ? heddle::extent{ClusterN, ClusterM} : heddle::extent{ClusterM, ClusterN};
  static constexpr int consumers = InTurn || TileM == 256 ? 2 : TileM / 64, consumers_of_tile = InTurn ? 1 : consumers;
  static constexpr int rows64 = TileM / 64 / consumers_of_tile;  // per consumer, in units of 64
  static constexpr int consumer_threads = 128 * consumers, threads = 128 + consumer_threads;
  static constexpr bool has_short_steps = tile_m == 64;

  // A block with two consumers has 64512 registers, with three 65536. Large tiles leave a producer 40, which is too few
  // if it draws tiles.
  template <bool Draws>
  static constexpr int consumer_registers = consumers == 3                                       ? 160
                                            : !Draws && (tile_n == 256 || rows64 * tile_n > 320) ? 232
                                                                                                 : 224;
  template <bool Draws>
  static constexpr int producer_registers = consumers == 3                     ? 32
                                            : consumer_registers<Draws> == 232 ? 40
                                                                               : 56;

  static constexpr int a_bytes = tile_m * tile_k * 2, b_bytes = tile_n * tile_k * 2;
  // Boxes of 16 rows of C.
  static constexpr int c_box = transposed || tile_n % 64 == 0 ? 64 : tile_n % 32 == 0 ? 32 : 88;  // columns
  static constexpr int c_box_bytes = hopper::staged<c_box>::bytes;
  // Per warp. Of two, one is filled while the other is stored.
  static constexpr int c_boxes = consumers > 2 || in_turn || transposed ? 1 : 2;
  static_assert(transposed ? tile_n % 16 == 0 : tile_n % c_box == 0);
  static constexpr int sharers = cluster_m + cluster_n - 1;  // blocks that load for this one
  using place_in_cluster = hopper::cluster_place<cluster_m, cluster_n, transposed>;
  static constexpr int c_bytes = consumers * 4 * c_boxes * c_box_bytes;
  static constexpr int smem_limit = 227 * 1024, smem_rest = 1024;
  static constexpr int stages = (smem_limit - smem_rest - c_bytes) / (a_bytes + b_bytes);
};

/// The shape of tiles of `TileN` rows and `TileM` columns.
template <int TileM, int TileN, int ClusterM, int ClusterN>
using transposed_shape = wgmma_shape<TileM, TileN, ClusterM, ClusterN, false, true>;

/// Whether a gate of C has its rows in shards, of which others may own some.
template <class Gate>
inline constexpr bool has_shards = requires {
  typename Gate::shard;
};

/// The shared memory of a block.
template <class Shape, class Scheduler>
struct wgmma_smem {
  alignas(1024) unsigned char a[Shape::stages][Shape::a_bytes];
  unsigned char b[Shape::stages][Shape::b_bytes];
  unsigned char c[Shape::consumers][Shape::c_boxes][4][Shape::c_box_bytes];
  hopper::ring<Shape::stages, Shape::cluster> ring;
  std::uint64_t c_loaded[Shape::consumers][Shape::c_boxes][4];
  std::uint64_t room_is_full, room_is_empty;
  hopper::turns turns;
  int is_last[Shape::consumers];
  typename detail::arriving<Scheduler>::type arrivals;
  heddle::seats::storage seat;
  typename Scheduler::storage scheduler;
};

template <class Epilogue, class Gate>
struct wgmma_arguments {
  hopper::operand_maps a, b;
  CUtensorMap c;
  int m, n, k;
  float alpha, beta;
  void* matrix_c;
  long long ldc;
  heddle::seats seats;
  float4* sums;  // of tiles that are split along k
  Epilogue epilogue;
  [[no_unique_address]] Gate gate_of_a, gate_of_c;
};

/// The first row of A and the first column of B of a tile.
struct place_of_tile {
  int row, col;
};

template <class Shape, class Tile>
__device__ place_of_tile begin_of(Tile tile) {
  if constexpr (Shape::transposed) return {tile.col * Shape::tile_m, tile.row * Shape::tile_n};
  return {tile.row * Shape::tile_m, tile.col * Shape::tile_n};
}

}  // namespace gemm

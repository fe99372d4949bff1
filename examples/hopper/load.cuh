#pragma once

#include "hopper/element.cuh"
#include "hopper/last_box.hpp"
#include "hopper/ring.cuh"
#include "hopper/tma.cuh"

// The loads of a tile of A or B by the tensor memory accelerator, in boxes of 64 elements along the contiguous extent.
// The blocks of a cluster that need the same tile load a part each, for all of them.

namespace hopper {

/// The tensor maps of an operand whose boxes are of whole tiles, and of what is left in the last row of tiles.
struct operand_maps {
  CUtensorMap whole, last;
};

/// Returns the rows of a box of a tile of `Rows` rows of A (columns of B), of which each of `Sharers` blocks loads a
/// part, if so many are `left` of the matrix. Rows of a box that lie outside a matrix cost more than others: a whole
/// H200 loads 4 to 5 of them per clock.
template <major Major, int Rows, int Sharers>
HEDDLE_FN int rows_of_box(int left) {
  static_assert(Sharers == 1 || Rows / Sharers % 8 == 0);
  if (Major != major::k) return 64;
  if (left <= 0 || left >= Rows) return Rows / Sharers;
  return rows_of_last_box(left, Sharers);
}

/// The boxes of a tile of `Rows` rows of A (columns of B), of which each of `Sharers` blocks loads a part.
template <major Major, int Rows, int Sharers>
struct boxes {
  const CUtensorMap& map;
  int row, box;  // the first row, and the rows of a box
  int rows = 0;  // of the boxes that begin in the matrix. What lies below makes rows of C that are not stored.

  /// The tile that begins at `row`, of a matrix that ends at `end`.
  __device__ boxes(const operand_maps& maps, int row_, int end)
      : map(Major == major::k && end - row_ < Rows ? maps.last : maps.whole),
        row(row_),
        box(rows_of_box<Major, Rows, Sharers>(end - row_)) {
    if (row < end) rows = min(Rows, (end - row + box - 1) / box * box);
  }

  /// Loads one of the parts of 64 steps from `k` on, for all `blocks` that share the tile.
  __device__ void load(unsigned char* tile, int k, std::uint64_t& barrier, int part, unsigned blocks) const {
    const int share = Major == major::k ? box : Rows / Sharers, end = min((part + 1) * share, rows);
    for (int at = part * share; at < end; at += box) {
      const int x = Major == major::k ? k : row + at, y = Major == major::k ? row + at : k;
      if constexpr (Sharers > 1) {
        ptx::cp_async_bulk_tensor_multicast(tile + at * 128, map, x, y, barrier, blocks);
      } else {
        ptx::cp_async_bulk_tensor_load(tile + at * 128, map, x, y, barrier);
      }
      if constexpr (Major == major::k) break;  // a share is a box
    }
  }
};

/// `Rows` rows from `first` on, of which so many are left, by the map that `make_ragged_map` made for boxes of as many
/// rows. Boxes of 64 columns lie side by side, from column x on.
template <int Rows>
struct ragged_rows {
  int y, matrix;

  __device__ ragged_rows(int first, int left) : y(Rows - min(left, Rows)), matrix(first + min(left, Rows)) {}

  /// Fills the next stage of a ring with them, in these boxes. One thread calls it.
  template <int Stages, int Boxes>
  __device__ void fill(ring<Stages>& ring, place<Stages>& at, unsigned char (&boxes)[Boxes][Rows * 128],
                       const CUtensorMap& map, int x) const {
    ring.fill(at, sizeof boxes);
    for (int i = 0; i < Boxes; ++i) {
      ptx::cp_async_bulk_tensor_load(boxes[i], map, x + i * 64, y, matrix, ring.filled(at));
    }
    at.advance();
  }

  /// Has them stored from these boxes, in a group of its own. One thread calls it, after `fence_proxy_async` in the
  /// threads that staged the boxes and a barrier of them.
  template <int Boxes>
  __device__ void store(const CUtensorMap& map, int x, const unsigned char (&boxes)[Boxes][Rows * 128]) const {
    for (int i = 0; i < Boxes; ++i) ptx::cp_async_bulk_tensor_store(map, x + i * 64, y, matrix, boxes[i]);
    ptx::cp_async_bulk_commit_group();
  }
};

/// The place of a block in a cluster of M x N tiles, and the blocks that share its rows of A and its columns of B, a
/// bit each. In the cluster blocks are counted row by row of C, whose rows are N if `Transposed`.
template <int M, int N, bool Transposed = false>
struct cluster_place {
  int m = 0, n = 0;
  unsigned of_same_row = 1, of_same_col = 1;

  __device__ cluster_place() {
    if constexpr (M * N > 1) {
      const int rank = static_cast<int>(ptx::cluster_ctarank());
      m = Transposed ? rank % M : rank / N;
      n = Transposed ? rank / M : rank % N;
      of_same_row = of_same_col = 0;
      for (int i = 0; i < N; ++i) of_same_row |= 1u << rank_of(m, i);
      for (int i = 0; i < M; ++i) of_same_col |= 1u << rank_of(i, n);
    }
  }

  /// Returns whether the block of this rank loads for this one.
  __device__ bool has_loads_of(int rank) const {
    if constexpr (M + N - 1 == M * N) return rank < M * N;
    return rank < M * N && ((of_same_row | of_same_col) >> rank & 1) != 0;
  }

 private:
  __device__ static int rank_of(int m, int n) { return Transposed ? n * M + m : m * N + n; }
};

}  // namespace hopper

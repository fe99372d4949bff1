#pragma once

#include "hopper/element.cuh"
#include "hopper/tma.cuh"

// The way of a warpgroup's sums to memory: from registers to boxes of 16 rows in shared memory, and from there by bulk
// copies, or by threads that store 16 bytes each. A caller makes pairs of elements of its sums. Four pairs of a thread
// are what `stmatrix` takes, and as well the A of a second product.

namespace hopper {

/// A box of 16 rows of so many columns. The 16-byte pieces of a row are permuted by its line of 128 bytes, as bulk
/// copies expect of rows of 128 and 64 bytes; or rows begin at odd multiples of 16 bytes. No banks conflict.
template <int Cols>
struct staged {
  static constexpr int bytes = 16 * Cols * 2;
  static constexpr bool is_swizzled = (Cols & (Cols - 1)) == 0;
  static_assert(is_swizzled ? Cols >= 32 : Cols % 16 == 8);

  /// Returns the offset of an element.
  __device__ static int at(int row, int col) {
    constexpr int rows_of_line = Cols < 64 ? 64 / Cols : 1, pieces = Cols < 64 ? Cols / 8 : 8;
    if (!is_swizzled) return (row * Cols + col) * 2;
    return (row * Cols + (col / 8 ^ row / rows_of_line % pieces) * 8 + col % 8) * 2;
  }
};

/// Stages 16 rows of a warp. `pair(row, col, i)` returns the elements (row, col) and (row, col + 1) of the box, of
/// which the thread has the sums i and i + 1. If it `Reads` them in the box, all lanes have read theirs before one is
/// written. All lanes call it.
template <int Cols, bool Reads, class Pair>
__device__ __forceinline__ void stage_rows(unsigned char* box, int lane, const Pair& pair) {
#pragma unroll
  for (int col16 = 0; col16 < Cols; col16 += 16) {
    unsigned pairs[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (col16 + i / 2 * 8 >= Cols) continue;
      pairs[i] = pair(lane / 4 + i % 2 * 8, col16 + i / 2 * 8 + lane % 4 * 2, col16 / 2 + i * 2);
    }
    if constexpr (Reads) __syncwarp();
    if (Cols % 16 == 0 || col16 + 16 <= Cols) {
      ptx::stmatrix_x4(ptx::shared_address(box + staged<Cols>::at(lane % 16, col16 + lane / 16 * 8)), pairs);
    } else {
      ptx::stmatrix_x2(ptx::shared_address(box + staged<Cols>::at(lane % 16, col16)), pairs[0], pairs[1]);
    }
  }
}

/// Stages 16 columns of a warp, from `col` on, of a box whose rows the matrix unit had for columns. `pair(row, col, i)`
/// returns the elements (row, col) and (row + 1, col) of the box. Otherwise as `stage_rows`.
template <bool Reads, class Pair>
__device__ __forceinline__ void stage_columns(unsigned char* box, int lane, int col, const Pair& pair) {
  unsigned pairs[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) pairs[i] = pair(i / 2 * 8 + lane % 4 * 2, col + i % 2 * 8 + lane / 4, i * 2);
  if constexpr (Reads) __syncwarp();
  const int to_row = lane / 16 * 8 + lane % 8, to_col = col + lane / 8 % 2 * 8;
  ptx::stmatrix_x4_transposed(ptx::shared_address(box + staged<64>::at(to_row, to_col)), pairs);
}

/// Has a box stored at (x, y) by a bulk copy, or none outside of the matrix, in a group of its own. One thread calls
/// it, after `fence_proxy_async` in the threads that staged the box and a barrier of them.
__device__ inline void store_box(const CUtensorMap& map, int x, int y, const unsigned char* box, bool is_inside) {
  if (is_inside) ptx::cp_async_bulk_tensor_store(map, x, y, box);
  ptx::cp_async_bulk_commit_group();
}

/// Stores `rows` rows of a box, and columns up to `cols`. `row_at(row)` returns where a row begins, or null for one
/// that is not stored. A lane stores 16 bytes at a time. All lanes of a warp call it, after a barrier of those that
/// staged the box.
template <int Cols, class RowAt>
__device__ __forceinline__ void store_rows(const unsigned char* box, int lane, const RowAt& row_at, int rows,
                                           int cols) {
  constexpr int pieces = Cols / 8, rows_at_once = 32 / pieces;
  const int col = lane % pieces * 8;
  if (col >= cols) return;
#pragma unroll
  for (int at = 0; at < 16; at += rows_at_once) {
    const int row = at + lane / pieces;
    if (row >= rows) return;
    if (auto* const to = row_at(row)) {
      *reinterpret_cast<uint4*>(to + col) = *reinterpret_cast<const uint4*>(box + staged<Cols>::at(row, col));
    }
  }
}

}  // namespace hopper

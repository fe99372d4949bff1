#pragma once

#include "hopper/element.cuh"
#include "hopper/wgmma.cuh"

namespace hopper {

/// The layout of an operand in shared memory, as copies of boxes of 64 elements leave it: rows of 128 bytes, swizzled
/// in groups of eight. A row has 64 steps of k, and the rows of A (columns of B) are one below the other; or it has 64
/// rows of A (columns of B), and below it are the next steps of k, 64 of them before the next box begins.
template <major Major>
struct operand {
  static constexpr int transpose = Major == major::k ? 0 : 1;
  static constexpr unsigned next_64_rows = 64 * 128 >> 4;  // in units of 16 bytes, as `matrix` counts
  static constexpr unsigned next_k16 = (Major == major::k ? 32 : 16 * 128) >> 4;  // columns of a row, or rows

  /// Returns what the matrix unit takes for the operand that begins here: at the first byte of a group of eight rows,
  /// in boxes of so many rows.
  template <int RowsOfBox = 64>
  __device__ static ptx::matrix matrix_at(const void* begin) {
    constexpr unsigned next_box = RowsOfBox * 128 >> 4, next_eight_rows = 8 * 128 >> 4, swizzle_128 = 1;
    const unsigned in_block = ptx::shared_address(begin) & 0x3ffff;  // the bits above are the rank in the cluster
    return {in_block >> 4 | next_box << 16, next_eight_rows | swizzle_128 << 30};
  }
};

}  // namespace hopper

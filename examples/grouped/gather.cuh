#pragma once

#include "gemm/ampere.cuh"
#include "hopper/relay.cuh"
#include "operands.cuh"

// Rows of A that an index names. A box of one row takes the copy engine as long as one of sixty-four, and so warps copy
// them, 16 bytes by each thread, to where the boxes would lie.

namespace grouped {

constexpr int gathering_warps = 3;  // those of the producer's warpgroup that produce nothing

/// The rows of A of a tile, as a thread that gathers knows those of which it copies a piece. A row has eight pieces in
/// a step, a warp copies four rows at once, and the next four are another warp's.
template <class Shape>
struct gathered_rows {
  static_assert(gathering_warps % 2 == 1);  // of two copies in turn one is in the upper half of a swizzle
  static constexpr int copies = (Shape::tile_m / 4 - 1) / gathering_warps + 1;

  int warp, lane;
  unsigned numbers[copies] = {};
  bool are_there = false;  // all of the warp's; else zeros take the place of those that are not

  __device__ int row_of(int copy) const { return (copy * gathering_warps + warp) * 4 + lane / 8; }

  /// Reads the numbers of a part. Rows past its end, which are not stored, are its last one.
  __device__ void find(const arguments& arguments, const part& of) {
    are_there = true;
#pragma unroll
    for (int i = 0; i < copies; ++i) {
      numbers[i] = static_cast<unsigned>(arguments.rows_of_a[min(of.begin + row_of(i), of.end - 1)]);
      are_there = are_there && numbers[i] < static_cast<unsigned>(arguments.a_rows);
    }
    are_there = __all_sync(~0u, are_there);
  }

  /// Copies a step of the first `rows` rows, and arrives when it is there.
  __device__ void load(unsigned char* to, const arguments& arguments, int rows, int k, std::uint64_t& full) const {
    const int piece = lane % 8, own_k = k + piece * 8;
    const auto row_bytes = static_cast<unsigned>(arguments.k) * 2;
    const char* const from = static_cast<const char*>(arguments.matrix_a) + (own_k < arguments.k ? 2LL * own_k : 0);
    // Where the even and the odd copies go, less 12 rows for each: their swizzles differ.
    unsigned char* const places[] = {to + row_of(0) * 128 + (piece ^ row_of(0) % 8) * 16,
                                     to + row_of(0) * 128 + (piece ^ row_of(1) % 8) * 16};
    const auto copy_rows = [&](const auto& copy) {
#pragma unroll
      for (int i = 0; i < copies; ++i) {
        if (row_of(i) >= rows) break;
        unsigned number = numbers[i];
        ptx::opaque(number);  // else each address has registers of its own
        copy(places[i % 2] + i * gathering_warps * 4 * 128, number);
      }
    };
    if (are_there && k + 64 <= arguments.k) {
      copy_rows(
          [&](unsigned char* at, unsigned number) { gemm::ptx::cp_async_16(at, from + 1ULL * number * row_bytes); });
    } else {
      copy_rows([&](unsigned char* at, unsigned number) {
        const bool is_there = number < static_cast<unsigned>(arguments.a_rows) && own_k < arguments.k;
        gemm::ptx::cp_async_16(at, from + 1ULL * (is_there ? number : 0) * row_bytes, is_there ? 16 : 0);
      });
    }
    gemm::ptx::cp_async_mbarrier_arrive(full);
  }
};

/// Copies the rows of A of all parts by some warps, next to the producer.
template <class Shape, class Memory>
__device__ void gather(Memory& smem, const arguments& arguments, int warp, int lane) {
  hopper::place<Shape::stages> at;
  hopper::relay<part>::turn turn;
  gathered_rows<Shape> rows{warp, lane};
  while (true) {
    smem.told.wait_until_full(turn);
    const part here = smem.parts.hear(turn);
    if (here.group == no_group) break;
    rows.find(arguments, here);
    for (int step = 0; step < here.steps(); ++step, at.advance()) {
      smem.ring.wait_until_empty(at);
      rows.load(smem.a[at.stage], arguments, here.is_low(arguments.low_m) ? 64 : Shape::tile_m,
                here.k_begin + step * Shape::tile_k, smem.ring.filled(at));
    }
  }
  smem.ring.wait_until_empty(at);
  ptx::mbarrier_arrive(smem.ring.filled(at));
}

}  // namespace grouped

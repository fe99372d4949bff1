#pragma once

#include "ampere.cuh"
#include "kernel.cuh"

// C = epilogue(alpha A B + beta C) on any GPU since Ampere: any extents, any leading dimensions, any alignment. Four
// warps make 128 x 128 elements of C, 64 x 64 each; the next steps of A and B are on their way to shared memory
// meanwhile.
//
// Order and scheduler are policies: the kernel asks for tiles and knows nothing of where they come from.

namespace gemm {

struct mma_shape {
  static constexpr int tile_m = 128, tile_n = 128, tile_k = 32, threads = 128, stages = 4;
  static constexpr int slot_floats = tile_m * tile_n;
};

/// A matrix as it lies in memory: lines of contiguous elements, `pitch` elements apart.
struct lines {
  const void* data;
  long long pitch;
  bool by_16_bytes;  // whether every line begins at a multiple of 16 bytes
};

template <class Epilogue>
struct mma_arguments {
  lines a, b;
  void* c;
  long long c_pitch;
  int m, n, k;
  float alpha, beta;
  float4* sums;  // of tiles that are split along k
  Epilogue epilogue;
};

template <class Scheduler>
struct mma_smem {
  static constexpr int operand_bytes = 128 * mma_shape::tile_k * 2;

  alignas(128) unsigned char a[mma_shape::stages][operand_bytes], b[mma_shape::stages][operand_bytes];
  int is_last;
  typename Scheduler::storage scheduler;
};

namespace detail {

/// 128 rows of A (columns of B) by 32 along k in shared memory, in lines as in memory. Pieces of 16 bytes change places
/// with the line, so that eight lines at one place are in different banks.
template <major Major>
struct mma_operand {
  static constexpr int along = Major == major::k ? mma_shape::tile_k : 128;
  static constexpr int pieces = along / 8, count = 128 * mma_shape::tile_k / along;

  __device__ static int offset(int line, int element) {
    const int turn = Major == major::k ? line / 2 % 4 : line % 8;
    return line * along * 2 + (element / 8 ^ turn) * 16 + element % 8 * 2;
  }

  /// From row (or column) `mn` and step `k` on; zeros outside of the matrix.
  __device__ static void load(unsigned char* to, const lines& from, int mn, int k, int extent_mn, int extent_k) {
    const int line0 = Major == major::k ? mn : k, element0 = Major == major::k ? k : mn;
    const int extent_line = Major == major::k ? extent_mn : extent_k;
    const int extent_element = Major == major::k ? extent_k : extent_mn;
    for (int i = static_cast<int>(threadIdx.x); i < count * pieces; i += mma_shape::threads) {
      const int line = i / pieces, element = i % pieces * 8;
      unsigned char* const piece = to + offset(line, element);
      int inside = line0 + line < extent_line ? extent_element - element0 - element : 0;
      inside = inside < 0 ? 0 : inside > 8 ? 8 : inside;
      const auto* const source = static_cast<const unsigned short*>(from.data) +
                                 (inside > 0 ? (line0 + line) * from.pitch + element0 + element : 0);
      if (from.by_16_bytes) {
        ptx::cp_async_16(piece, source, inside * 2);
      } else {
        for (int e = 0; e < 8; ++e) reinterpret_cast<unsigned short*>(piece)[e] = e < inside ? source[e] : 0;
      }
    }
  }

  /// Four 8 x 8 matrices: of 16 rows and 16 steps of A, or of 16 columns and 16 steps of B. Both operands want k
  /// along the registers of a thread, which is as it lies or transposed.
  __device__ static void fragment(unsigned (&matrix)[4], const unsigned char* from, int mn, int k) {
    const int lane = static_cast<int>(threadIdx.x) % 32, first = lane % 16, second = lane / 16 * 8;
    if constexpr (Major == major::k) {
      ptx::ldmatrix_x4<false>(matrix, from + offset(mn + first, k + second));
    } else {
      ptx::ldmatrix_x4<true>(matrix, from + offset(k + lane % 8 + second, mn + lane / 8 % 2 * 8));
    }
  }
};

}  // namespace detail

template <class Element, major A, major B, class Scheduler, class Epilogue>
__global__ void __launch_bounds__(mma_shape::threads, 2)
    gemm_mma(const __grid_constant__ Scheduler scheduler, const __grid_constant__ mma_arguments<Epilogue> arguments) {
  extern __shared__ __align__(128) unsigned char mma_memory[];
  auto& smem = *reinterpret_cast<mma_smem<Scheduler>*>(mma_memory);
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int warp_m = warp / 2 * 64, warp_n = warp % 2 * 64;
  const auto& [a, b, c, c_pitch, m, n, k, alpha, beta, sums, epilogue] = arguments;

  [[maybe_unused]] const auto arrivals = detail::enter(scheduler, thread == 0);
  auto place = scheduler.tiles(smem.scheduler);
  for (; place; ++place) {
    const auto part = detail::part_at(place, (k + mma_shape::tile_k - 1) / mma_shape::tile_k);
    const int row0 = part.tile.row * mma_shape::tile_m, col0 = part.tile.col * mma_shape::tile_n;
    if (row0 >= m || col0 >= n) continue;

    const auto load = [&](int step) {
      if (step < part.end) {
        const int stage = step % mma_shape::stages, at_k = step * mma_shape::tile_k;
        detail::mma_operand<A>::load(smem.a[stage], a, row0, at_k, m, k);
        detail::mma_operand<B>::load(smem.b[stage], b, col0, at_k, n, k);
      }
      ptx::cp_async_commit_group();
    };

    float sum[4][8][4] = {};  // 16 x 8 each
    for (int ahead = 0; ahead < mma_shape::stages - 1; ++ahead) load(part.begin + ahead);
    for (int step = part.begin; step < part.end; ++step) {
      ptx::cp_async_wait_group<mma_shape::stages - 2>();
      __syncthreads();  // this step is there, and everyone is done with the one before
      load(step + mma_shape::stages - 1);
      const int stage = step % mma_shape::stages;
#pragma unroll
      for (int at_k = 0; at_k < mma_shape::tile_k; at_k += 16) {
        unsigned of_a[4][4], of_b[4][4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          detail::mma_operand<A>::fragment(of_a[i], smem.a[stage], warp_m + i * 16, at_k);
          detail::mma_operand<B>::fragment(of_b[i], smem.b[stage], warp_n + i * 16, at_k);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
          for (int j = 0; j < 8; ++j) {
            ptx::mma_m16n8k16<Element>(sum[i][j], of_a[i], of_b[j / 2][j % 2], of_b[j / 2][j % 2 + 2]);
          }
        }
      }
    }
    ptx::cp_async_wait_group<0>();
    __syncthreads();  // the stages are free for the next tile

    if constexpr (heddle::split_scheduler<Scheduler>) {
      if (part.share.count > 1) {
        const auto slot = [&](int number) { return sums + number * (mma_shape::slot_floats / 4LL) + thread; };
#pragma unroll
        for (int i = 0; i < 32; ++i) {
          const auto& four = sum[i / 8][i % 8];
          __stcg(slot(part.share.slot) + i * mma_shape::threads, make_float4(four[0], four[1], four[2], four[3]));
        }
        __syncthreads();
        if (thread == 0) smem.is_last = arrivals.arrive(part.share);
        __syncthreads();
        if (smem.is_last == 0) continue;
#pragma unroll
        for (int i = 0; i < 32; ++i) {
          auto& total = sum[i / 8][i % 8];
          total[0] = total[1] = total[2] = total[3] = 0;
          for (int number = part.share.first; number < part.share.first + part.share.count; ++number) {
            const float4 four = __ldcg(slot(number) + i * mma_shape::threads);
            total[0] += four.x, total[1] += four.y, total[2] += four.z, total[3] += four.w;
          }
        }
      }
    }

    const bool by_pairs = c_pitch % 2 == 0 && reinterpret_cast<unsigned long long>(c) % 4 == 0;
#pragma unroll
    for (int i = 0; i < 64; ++i) {  // two rows of each 16 x 8
      const auto& four = sum[i / 16][i / 2 % 8];
      const int row = row0 + warp_m + i / 16 * 16 + i % 2 * 8 + lane / 4;
      const int col = col0 + warp_n + i / 2 % 8 * 8 + lane % 4 * 2;
      if (row >= m || col >= n) continue;
      Element* const to = static_cast<Element*>(c) + row * c_pitch + col;
      float low = alpha * four[i % 2 * 2], high = alpha * four[i % 2 * 2 + 1];
      if (beta != 0) {
        low += beta * static_cast<float>(to[0]);
        if (col + 1 < n) high += beta * static_cast<float>(to[1]);
      }
      low = epilogue(low, row, col);
      if (col + 1 < n) high = epilogue(high, row, col + 1);
      const unsigned pair = detail::pack<Element>(low, high);
      if (by_pairs && col + 1 < n) {
        *reinterpret_cast<unsigned*>(to) = pair;
      } else {
        to[0] = reinterpret_cast<const Element*>(&pair)[0];
        if (col + 1 < n) to[1] = reinterpret_cast<const Element*>(&pair)[1];
      }
    }
  }
}

}  // namespace gemm

#pragma once

#include "ampere.cuh"
#include "kernel.cuh"

// C = epilogue(alpha A B + beta C) on any GPU since Ampere: any extents, any leading dimensions, any alignment. Four
// warps make 128 x 128 elements of C, 64 x 64 each, while the next steps of A and B are on their way to shared memory.
//
// Order and scheduler are policies: the kernel takes tiles from its scheduler and does not know their order.

namespace gemm {

struct mma_shape {
  static constexpr int tile_m = 128, tile_n = 128, tile_k = 32, threads = 128, stages = 4;
  static_assert(tile_k == 32);  // two sets of fragments a step
  static constexpr int slot_floats = tile_m * tile_n;
};

/// A matrix in memory: lines of contiguous elements, `pitch` elements apart.
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

/// The shared memory of a block.
template <class Scheduler>
struct mma_smem {
  alignas(128) unsigned char a[mma_shape::stages][mma_shape::tile_m * mma_shape::tile_k * 2];
  unsigned char b[mma_shape::stages][mma_shape::tile_n * mma_shape::tile_k * 2];
  int is_last;
  typename Scheduler::storage scheduler;
};

namespace detail {

/// `Rows` rows of A (columns of B) by 32 steps of k in shared memory, in lines as in memory. The 16-byte pieces of a
/// line are permuted by its number, so that the same piece of eight lines is in different banks.
template <major Major, int Rows>
struct mma_operand {
  static constexpr int along = Major == major::k ? mma_shape::tile_k : Rows;  // elements of a line
  static constexpr int line_bytes = along * 2, pieces = along / 8;

  __device__ static int offset(int line, int element) {
    const int turn = Major == major::k ? line / 2 % 4 : line % 8;
    return line * line_bytes + (element / 8 ^ turn) * 16;
  }

  /// Loads four 8 x 8 matrices: 16 rows by 16 steps of A, or 16 columns by 16 steps of B. Both operands need k along
  /// the registers of a thread, so that a matrix is transposed unless it is contiguous along k. In the register after
  /// the first, A needs the matrix 8 rows further, and B the one 8 steps further.
  template <bool IsB>
  __device__ static void fragment(unsigned (&matrix)[4], const unsigned char* from, int mn, int k) {
    const int lane = static_cast<int>(threadIdx.x) % 32, second = lane / 8 % 2 * 8, third = lane / 16 * 8;
    mn += IsB ? third : second, k += IsB ? second : third;
    if constexpr (Major == major::k) {
      ptx::ldmatrix_x4<false>(matrix, from + offset(mn + lane % 8, k));
    } else {
      ptx::ldmatrix_x4<true>(matrix, from + offset(k + lane % 8, mn));
    }
  }
};

/// The copies of one thread: the same piece of some lines of every step, a fixed number of lines apart.
template <major Major, int Rows>
class mma_copies {
  using shape = mma_operand<Major, Rows>;
  static constexpr int count = Rows * mma_shape::tile_k / 8 / mma_shape::threads,
                       lines_apart = mma_shape::threads / shape::pieces;
  static constexpr int apart_bytes = lines_apart * shape::line_bytes;

 public:
  /// Begins at row (or column) `mn` and step `k`. Outside of the matrix it copies zeros.
  __device__ mma_copies(const lines& matrix, int mn, int k, int extent_mn, int extent_k)
      : line_(static_cast<int>(threadIdx.x) / shape::pieces),
        element_(static_cast<int>(threadIdx.x) % shape::pieces * 8),
        by_16_bytes_(matrix.by_16_bytes),
        all_rows_(mn + Rows <= extent_mn),
        steps_left_(extent_k - k),
        pitch_(matrix.pitch),
        to_(shape::offset(line_, element_)) {
    if constexpr (Major == major::k) {
      from_ = static_cast<const unsigned short*>(matrix.data) + (mn + line_) * pitch_ + k + element_;
      left_ = extent_k - k - element_, lines_left_ = extent_mn - mn - line_;
    } else {
      from_ = static_cast<const unsigned short*>(matrix.data) + (k + line_) * pitch_ + mn + element_;
      left_ = extent_mn - mn - element_, lines_left_ = extent_k - k - line_;
    }
  }

  /// Copies the next 32 steps to a stage.
  __device__ void next(unsigned char* stage) {
    const int inside = left_ < 0 ? 0 : left_ > 8 ? 8 : left_;
    if (by_16_bytes_ && all_rows_ && steps_left_ >= mma_shape::tile_k) {  // the same for all threads of a block
#pragma unroll
      for (int i = 0; i < count; ++i) ptx::cp_async_16(stage + to_ + i * apart_bytes, from_ + i * lines_apart * pitch_);
    } else if (by_16_bytes_) {
#pragma unroll
      for (int i = 0; i < count; ++i) {  // a piece outside of the matrix is not read
        ptx::cp_async_16(stage + to_ + i * apart_bytes, from_ + i * lines_apart * pitch_,
                         i * lines_apart < lines_left_ ? inside * 2 : 0);
      }
    } else {
#pragma unroll 1
      for (int i = 0; i < count * 8; ++i) {
        const int line = i / 8 * lines_apart, at = i % 8;
        const bool is_inside = line < lines_left_ && at < inside;
        reinterpret_cast<unsigned short*>(stage + to_ + i / 8 * apart_bytes)[at] =
            is_inside ? from_[line * pitch_ + at] : static_cast<unsigned short>(0);
      }
    }
    steps_left_ -= mma_shape::tile_k;
    if constexpr (Major == major::k) {
      from_ += mma_shape::tile_k, left_ -= mma_shape::tile_k;
    } else {
      from_ += mma_shape::tile_k * pitch_, lines_left_ -= mma_shape::tile_k;
    }
  }

 private:
  int line_, element_;
  bool by_16_bytes_, all_rows_;
  int steps_left_;
  long long pitch_;
  int to_, left_, lines_left_;
  const unsigned short* from_;
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

  [[maybe_unused]] typename detail::arriving<Scheduler>::type arrivals{};
  if (thread == 0) arrivals = detail::enter(scheduler);
  auto place = scheduler.tiles(smem.scheduler);
  for (; place; ++place) {
    const auto part = detail::part_at(place, (k + mma_shape::tile_k - 1) / mma_shape::tile_k);
    const int row0 = part.tile.row * mma_shape::tile_m, col0 = part.tile.col * mma_shape::tile_n;
    if (row0 >= m || col0 >= n) continue;

    detail::mma_copies<A, mma_shape::tile_m> of_a(a, row0, part.begin * mma_shape::tile_k, m, k);
    detail::mma_copies<B, mma_shape::tile_n> of_b(b, col0, part.begin * mma_shape::tile_k, n, k);
    const auto load = [&](int step) {
      if (step < part.end) {
        of_a.next(smem.a[step % mma_shape::stages]);
        of_b.next(smem.b[step % mma_shape::stages]);
      }
      ptx::cp_async_commit_group();
    };

    // While one set of fragments is multiplied, the next is on its way from shared memory to the other.
    unsigned a_parts[2][4][4], b_parts[2][4][4];
    const auto fetch = [&](int set, int step, int at_k) {
      const int stage = step % mma_shape::stages;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        detail::mma_operand<A, mma_shape::tile_m>::template fragment<false>(a_parts[set][i], smem.a[stage],
                                                                            warp_m + i * 16, at_k);
        detail::mma_operand<B, mma_shape::tile_n>::template fragment<true>(b_parts[set][i], smem.b[stage],
                                                                           warp_n + i * 16, at_k);
      }
    };

    float sum[4][8][4] = {};  // 16 x 8 each
    for (int ahead = 0; ahead < mma_shape::stages - 1; ++ahead) load(part.begin + ahead);
    ptx::cp_async_wait_group<mma_shape::stages - 2>();
    __syncthreads();
    fetch(0, part.begin, 0);
    for (int step = part.begin; step < part.end; ++step) {
#pragma unroll
      for (int at_k = 0; at_k < mma_shape::tile_k; at_k += 16) {
        const int set = at_k / 16 % 2;
        if (at_k + 16 < mma_shape::tile_k) {
          fetch(1 - set, step, at_k + 16);
          load(step + mma_shape::stages - 1);
        } else {
          ptx::cp_async_wait_group<mma_shape::stages - 2>();
          __syncthreads();  // the next step is there, and all threads have fetched this one
          fetch(1 - set, step + 1, 0);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
          for (int j = 0; j < 8; ++j) {
            ptx::mma_m16n8k16<Element>(sum[i][j], a_parts[set][i], b_parts[set][j / 2][j % 2 * 2],
                                       b_parts[set][j / 2][j % 2 * 2 + 1]);
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
        for (auto& rows : sum) {
#pragma unroll
          for (int i = 0; i < 32; ++i) rows[i / 4][i % 4] = 0;
          for (int number = part.share.first; number < part.share.first + part.share.count; ++number) {
            const float4* const fours = slot(number) + (&rows - sum) * 8 * mma_shape::threads;
#pragma unroll
            for (int i = 0; i < 8; ++i) {
              const float4 four = __ldcg(fours + i * mma_shape::threads);
              rows[i][0] += four.x, rows[i][1] += four.y, rows[i][2] += four.z, rows[i][3] += four.w;
            }
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
      const unsigned pair = hopper::pack<Element>(low, high);
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

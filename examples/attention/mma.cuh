#pragma once

#include <cmath>

#include "arguments.cuh"
#include "gemm/ampere.cuh"
#include "hopper/element.cuh"

// Attention, forward, on any GPU since Ampere. Four warps take 16 queries each of a tile of 64, and the keys that these
// see, 64 at a time, from the last to the first. While the scores of a step are made its values are on their way to
// shared memory; while these are summed, the keys of the next step are.
//
// Order and scheduler are policies: the kernel takes tiles of a grid {tiles of queries, heads of all sequences}, or of
// groups, which are packed sequences.

namespace attention {

struct mma_shape {
  static constexpr int tile_queries = 64, tile_keys = 64, threads = 128;
};

/// The shared memory of a block.
template <int Width, class Scheduler>
struct mma_smem {
  alignas(128) unsigned char q[mma_shape::tile_queries * Width * 2];
  unsigned char k[mma_shape::tile_keys * Width * 2], v[mma_shape::tile_keys * Width * 2];
  typename Scheduler::storage scheduler;
};

namespace detail {

/// Returns where an element is in shared memory. The pieces of 16 bytes of a row are permuted by its number, so that
/// the same piece of eight rows is in different banks.
template <int Width>
__device__ int offset(int row, int element) {
  return row * Width * 2 + (element / 8 ^ row % 8) * 16;
}

/// Copies a head of 64 tokens, and zeros in place of those past `rows`, which are not read: zero times NaN is NaN.
template <int Width>
__device__ void copy_rows(unsigned char* to, const void* from, long long row, int heads, int head, int rows) {
  constexpr int pieces = Width / 8, rows_apart = mma_shape::threads / pieces;
  const int thread = static_cast<int>(threadIdx.x), first = thread / pieces, piece = thread % pieces * 8;
  const auto* const at = static_cast<const unsigned short*>(from) + ((row + first) * heads + head) * Width + piece;
  to += offset<Width>(first, piece);
#pragma unroll
  for (int i = 0; i < 64; i += rows_apart) {
    gemm::ptx::cp_async_16(to + i * Width * 2, at + 1LL * i * heads * Width, first + i < rows ? 16 : 0);
  }
  gemm::ptx::cp_async_commit_group();
}

/// Loads four 8 x 8 matrices: 16 rows by 16 elements. In the register behind the first one is the matrix 8 rows
/// further, or 8 elements further.
template <int Width, bool Transposed, bool ElementsFirst>
__device__ void fragment(unsigned (&matrix)[4], const unsigned char* from, int row, int element) {
  const int lane = static_cast<int>(threadIdx.x) % 32, second = lane / 8 % 2 * 8, third = lane / 16 * 8;
  row += lane % 8 + (ElementsFirst ? third : second), element += ElementsFirst ? second : third;
  gemm::ptx::ldmatrix_x4<Transposed>(matrix, from + offset<Width>(row, element));
}

/// Combines the values of the four lanes that have elements of the same row.
template <class Combine>
__device__ float of_row(float value, Combine combine) {
  value = combine(value, __shfl_xor_sync(~0u, value, 1));
  return combine(value, __shfl_xor_sync(~0u, value, 2));
}

}  // namespace detail

template <class Element, int Width, class Scheduler>
__global__ void __launch_bounds__(mma_shape::threads)
    attend_mma(const __grid_constant__ Scheduler scheduler, const __grid_constant__ arguments of) {
  extern __shared__ __align__(128) unsigned char attention_memory[];
  auto& smem = *reinterpret_cast<mma_smem<Width, Scheduler>*>(attention_memory);
  constexpr int tile_queries = mma_shape::tile_queries, tile_keys = mma_shape::tile_keys;
  constexpr float none = -INFINITY;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  const int own_row = thread / 32 * 16 + lane / 4, own_col = lane % 4 * 2;  // and 8 rows further; of each 16 x 8

  const auto larger = [](float a, float b) { return fmaxf(a, b); };
  for (const auto tile : scheduler.tiles(smem.scheduler)) {
    const sequence in = sequence_of(scheduler.order(), tile, of);
    const int query = tile.row * tile_queries, rows = min(tile_queries, in.queries - query);
    if (rows <= 0) continue;
    const int key_head = in.head / (of.heads / of.key_heads);
    const int first_seen = in.first_seen(query, of.left), last_seen = in.last_seen(query + rows - 1, of.right);
    const int last_step = first_seen / tile_keys;
    int step = last_seen < first_seen ? -1 : last_seen / tile_keys;

    const auto load = [&](unsigned char* to, const void* from, int key) {
      detail::copy_rows<Width>(to, from, in.first_key + key, of.key_heads, key_head, in.keys - key);
    };
    float sums[Width / 8][4] = {}, top[2] = {none, none}, total[2] = {};  // of this lane's columns, of two rows
    __syncthreads();                                                      // all warps have read the tile before
    if (step >= 0) {
      detail::copy_rows<Width>(smem.q, of.q, in.first_query + query, of.heads, in.head, rows);
      load(smem.k, of.k, step * tile_keys);
    }

    for (; step >= last_step; --step) {
      gemm::ptx::cp_async_wait_group<0>();
      __syncthreads();  // the keys are there, and all warps have read the values of the step before
      const int key = step * tile_keys;
      load(smem.v, of.v, key);
      float scores[tile_keys / 8][4] = {};
#pragma unroll
      for (int i = 0; i < Width / 16; ++i) {
        unsigned q[4], k[4];
        detail::fragment<Width, false, false>(q, smem.q, thread / 32 * 16, i * 16);
#pragma unroll
        for (int j = 0; j < tile_keys / 16; ++j) {
          detail::fragment<Width, false, true>(k, smem.k, j * 16, i * 16);
          gemm::ptx::mma_m16n8k16<Element>(scores[2 * j], q, k[0], k[1]);
          gemm::ptx::mma_m16n8k16<Element>(scores[2 * j + 1], q, k[2], k[3]);
        }
      }
      gemm::ptx::cp_async_wait_group<0>();
      __syncthreads();  // the values are there, and all warps have read the keys
      if (step > last_step) load(smem.k, of.k, key - tile_keys);

      if (key < in.first_seen(query + rows - 1, of.left) || key + tile_keys - 1 > in.last_seen(query, of.right)) {
#pragma unroll
        for (int i = 0; i < tile_keys / 2; ++i) {
          const int own_query = query + own_row + i % 4 / 2 * 8, at = key + i / 4 * 8 + own_col + i % 2;
          if (at < in.first_seen(own_query, of.left) || at > in.last_seen(own_query, of.right)) {
            scores[i / 4][i % 4] = none;
          }
        }
      }
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float next = top[half];
#pragma unroll
        for (auto& four : scores) next = larger(next, larger(four[2 * half], four[2 * half + 1]));
        next = detail::of_row(next, larger);
        const float seen = next == none ? 0 : next, base = seen * of.scale;
        const float rest = exp2f((top[half] - seen) * of.scale);  // 1 while the top stays: else rows drift
        top[half] = next;
        total[half] *= rest;
#pragma unroll
        for (auto& four : scores) {
#pragma unroll
          for (int i = 2 * half; i < 2 * half + 2; ++i) total[half] += four[i] = exp2f(fmaf(four[i], of.scale, -base));
        }
#pragma unroll
        for (auto& four : sums) four[2 * half] *= rest, four[2 * half + 1] *= rest;
      }
#pragma unroll
      for (int i = 0; i < tile_keys / 16; ++i) {
        const auto &low = scores[2 * i], &high = scores[2 * i + 1];  // what the lane has is also its part of an operand
        const unsigned weights[] = {hopper::pack<Element>(low[0], low[1]), hopper::pack<Element>(low[2], low[3]),
                                    hopper::pack<Element>(high[0], high[1]), hopper::pack<Element>(high[2], high[3])};
#pragma unroll
        for (int j = 0; j < Width / 16; ++j) {
          unsigned v[4];
          detail::fragment<Width, true, false>(v, smem.v, i * 16, j * 16);
          gemm::ptx::mma_m16n8k16<Element>(sums[2 * j], weights, v[0], v[1]);
          gemm::ptx::mma_m16n8k16<Element>(sums[2 * j + 1], weights, v[2], v[3]);
        }
      }
    }

#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float sum = detail::of_row(total[half], [](float a, float b) { return a + b; });
      const float inverse = sum == 0 ? 0 : 1 / sum;  // 0 if no key is seen
      const int row = own_row + half * 8;
      if (row >= rows) continue;
      const long long token = in.first_query + query + row;
      auto* const to = static_cast<Element*>(of.o) + (token * of.heads + in.head) * Width + own_col;
#pragma unroll
      for (int i = 0; i < Width / 8; ++i) {
        const auto& four = sums[i];
        reinterpret_cast<unsigned*>(to)[i * 4] =
            hopper::pack<Element>(four[2 * half] * inverse, four[2 * half + 1] * inverse);
      }
      if (of.lse != nullptr && own_col == 0) {
        constexpr float ln2 = 0.693147181f;
        of.lse[in.head * of.tokens + token] = sum == 0 ? none : (top[half] * of.scale + log2f(sum)) * ln2;
      }
    }
  }
}

}  // namespace attention

#pragma once

// Ranks alone, of heddle and of CUB: a loop in which each key depends on the rank before.

#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <heddle/reorder/block_reorder.hpp>

namespace heddle_bench {

inline constexpr int rank_threads = 512, rank_bits = 3, rank_calls = 256;

/// Runs the loop. Every thread of the block calls `rank(key)`.
template <class Rank>
__device__ void rank_over_and_over(unsigned* out, Rank rank) {
  unsigned seed = (blockIdx.x * rank_threads + threadIdx.x) * 0x9e3779b1u;
#pragma unroll 1
  for (int call = 0; call < rank_calls; ++call) seed = seed * 0x9e3779b1u + rank(seed >> (32 - rank_bits));
  out[blockIdx.x * rank_threads + threadIdx.x] = seed;
}

struct by_nothing {
  __device__ static void run(unsigned* out) {
    rank_over_and_over(out, [](unsigned key) { return key; });
  }
};

struct by_heddle {
  __device__ static void run(unsigned* out) {
    __shared__ heddle::block_reorder<rank_threads, rank_bits>::storage smem;
    heddle::block_reorder<rank_threads, rank_bits> order(smem);
    rank_over_and_over(out, [&](unsigned key) { return order.rank(key).rank; });
  }
};

/// Any of CUB's block-wide ranks.
template <class Order, int Bits = rank_bits>
struct by_cub_rank {
  __device__ static void run(unsigned* out) {
    __shared__ typename Order::TempStorage smem;
    rank_over_and_over(out, [&](unsigned key) {
      unsigned keys[1] = {key};
      int ranks[1];
      __syncthreads();
      Order(smem).RankKeys(keys, ranks, cub::BFEDigitExtractor<unsigned>(0, Bits));
      return static_cast<unsigned>(ranks[0]);
    });
  }
};
using by_cub_radix_rank = by_cub_rank<cub::BlockRadixRank<rank_threads, rank_bits, false>>;
using by_cub_match = by_cub_rank<cub::BlockRadixRankMatch<rank_threads, rank_bits, false>>;
// This one needs at least 5 bits; the keys are the same.
using by_cub_early_counts = by_cub_rank<cub::BlockRadixRankMatchEarlyCounts<rank_threads, 5, false>, 5>;

/// A sort gives each thread the number of the thread that comes to its place, so the rank takes a store and a barrier.
struct by_cub_sort {
  __device__ static void run(unsigned* out) {
    using order = cub::BlockRadixSort<unsigned, rank_threads, 1, unsigned>;
    __shared__ typename order::TempStorage smem;
    __shared__ unsigned ranks[rank_threads];
    rank_over_and_over(out, [&](unsigned key) {
      unsigned keys[1] = {key}, threads[1] = {threadIdx.x};
      __syncthreads();
      order(smem).Sort(keys, threads, 0, rank_bits);
      ranks[threads[0]] = threadIdx.x;
      __syncthreads();
      return ranks[threadIdx.x];
    });
  }
};

template <class By>
__global__ void __launch_bounds__(rank_threads) rank_by(unsigned* out) {
  By::run(out);
}

}  // namespace heddle_bench

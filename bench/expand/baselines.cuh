#pragma once

#include <cub/block/block_exchange.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_scan.cuh>

#include <heddle/expand/item.hpp>

// Expansion without the library.

namespace heddle_bench {

using heddle::item;

constexpr int threads = 256;  // per block

template <class Use>
__global__ void loop(const unsigned* n, const unsigned* begin, unsigned size, Use use) {
  const unsigned source = blockIdx.x * blockDim.x + threadIdx.x;
  if (source >= size) return;
  for (unsigned rank = 0; rank < n[source]; ++rank) use(begin[source] + rank, {source, rank});
}

template <class Use>
__global__ void search(const unsigned* end, unsigned size, unsigned items, Use use) {
  const unsigned slot = blockIdx.x * blockDim.x + threadIdx.x;
  if (slot >= items) return;
  unsigned first = 0, last = size;
  while (first < last) {
    const unsigned middle = first + (last - first) / 2;
    if (end[middle] <= slot) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  use(slot, {first, slot - (first == 0 ? 0 : end[first - 1])});
}

/// Expands sources with CUB's decoder, which accepts no runs of length 0: a block removes these first. Each thread gets
/// eight items, and the threads exchange them, so that stores are coalesced.
template <class Use>
__global__ void decode(const unsigned* n, const unsigned* end, unsigned size, Use use) {
  constexpr int runs = 4, at_a_time = 8;
  using scan = cub::BlockScan<unsigned, threads>;
  using decoder = cub::BlockRunLengthDecode<unsigned, threads, runs, at_a_time>;
  using exchange = cub::BlockExchange<unsigned long long, threads, at_a_time>;
  __shared__ union {
    typename scan::TempStorage scan;
    typename exchange::TempStorage exchange;
  } smem;
  __shared__ typename decoder::TempStorage of_decoder;
  __shared__ unsigned live[threads * runs], live_n[threads * runs];
  const unsigned of_block = blockIdx.x * threads * runs, mine = threadIdx.x * runs;
  unsigned spawning[runs], before[runs], sources[runs], of_each[runs], count = 0, all = 0;
  for (unsigned i = 0; i < runs; ++i) {
    of_each[i] = of_block + mine + i < size ? n[of_block + mine + i] : 0;
    spawning[i] = of_each[i] > 0;
  }
  scan(smem.scan).ExclusiveSum(spawning, before, count);
  for (unsigned i = 0; i < runs; ++i) {
    if (spawning[i] == 0) continue;
    live[before[i]] = of_block + mine + i;
    live_n[before[i]] = of_each[i];
  }
  __syncthreads();
  for (unsigned i = 0; i < runs; ++i) {
    sources[i] = mine + i < count ? live[mine + i] : 0;
    of_each[i] = mine + i < count ? live_n[mine + i] : 0;
  }
  decoder runs_of_block(of_decoder, sources, of_each, all);
  const unsigned begin = of_block == 0 ? 0 : end[of_block - 1];
  for (unsigned window = 0; window < all; window += threads * at_a_time) {
    unsigned found[at_a_time], ranks[at_a_time];
    runs_of_block.RunLengthDecode(found, ranks, window);
    unsigned long long items[at_a_time];
    for (int i = 0; i < at_a_time; ++i) items[i] = (1ull * ranks[i] << 32) + found[i];
    __syncthreads();
    exchange(smem.exchange).BlockedToStriped(items);
    for (int i = 0; i < at_a_time; ++i) {
      const unsigned slot = window + static_cast<unsigned>(i) * threads + threadIdx.x;
      if (slot >= all) break;
      use(begin + slot, {static_cast<unsigned>(items[i]), static_cast<unsigned>(items[i] >> 32)});
    }
  }
}

static __global__ void scatter(const unsigned* n, const unsigned* begin, unsigned size, unsigned* owner) {
  const unsigned source = blockIdx.x * blockDim.x + threadIdx.x;
  if (source < size && n[source] > 0) owner[begin[source]] = source;
}

template <class Use>
__global__ void write(const unsigned* owner, const unsigned* begin, unsigned items, Use use) {
  const unsigned slot = blockIdx.x * blockDim.x + threadIdx.x;
  if (slot < items) use(slot, {owner[slot], slot - begin[owner[slot]]});
}

/// Stores as many items and does nothing else: a floor for every method.
static __global__ void store(unsigned items, item* out) {
  for (unsigned slot = blockIdx.x * blockDim.x + threadIdx.x; slot < items; slot += gridDim.x * blockDim.x) {
    out[slot] = {slot, slot};
  }
}

}  // namespace heddle_bench

#pragma once

#include <heddle/expand/detail/warp.hpp>
#include <heddle/launch/launch_shape.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// What sources spawn, added up: what `predict::advise_list` asks for. `list_probe` counts it on the device.
///
/// **Example** (tests/predict/lists.cpp):
///
///     counted.turns += longest;
struct list_counts {
  unsigned long long sources = 0, spawning = 0, items = 0;  // all sources; those with an item; their items
  unsigned long long turns = 0;    // of warps that loop: the longest of each 32 sources in a row, added up
  unsigned long long longest = 0;  // most items of a source
  bool is_scanned = false;         // set by the caller: whether the original adds up counts to find the places of items
};

#if defined(__CUDACC__)

namespace detail::expand {

/// Adds up the counts of all sources, warp by warp.
template <class Count>
__global__ void add_up_counts(list_counts* to, unsigned sources, const Count count) {
  const unsigned threads = warp::threads_in_block(), step = threads * gridDim.x;
  list_counts mine{};
  for (unsigned long long first = blockIdx.x * threads + warp::thread() / 32 * 32; first < sources; first += step) {
    const unsigned long long source = first + warp::lane();
    const unsigned n = source < sources ? count(static_cast<unsigned>(source)) : 0;
    const unsigned longest = ptx::redux_sync_max(warp::all, n);
    mine.spawning += n > 0;
    mine.items += n;
    mine.turns += longest;
    if (longest > mine.longest) mine.longest = longest;
  }
  __shared__ unsigned long long of_block[4];
  if (warp::thread() < 4) of_block[warp::thread()] = 0;
  __syncthreads();
  mine.spawning = warp::inclusive_sum(mine.spawning);
  mine.items = warp::inclusive_sum(mine.items);
  if (warp::lane() == 31) {
    atomicAdd(&of_block[0], mine.spawning);
    atomicAdd(&of_block[1], mine.items);
    atomicAdd(&of_block[2], mine.turns);
    atomicMax(&of_block[3], mine.longest);
  }
  __syncthreads();
  if (warp::thread() != 0) return;
  atomicAdd(&to->spawning, of_block[0]);
  atomicAdd(&to->items, of_block[1]);
  atomicAdd(&to->turns, of_block[2]);
  atomicMax(&to->longest, of_block[3]);
  if (blockIdx.x == 0) to->sources = sources;
}

}  // namespace detail::expand

/// Counts what sources spawn, by the user's own function, before there is a list.
///
/// **Preconditions**: `counts` points to device memory. `count(source)` may be called on the device, once per source.
/// **Effects**: once what `enqueue` enqueues has run, `*counts` is what the sources spawn; the host copies it.
/// **Cost**: a memset and one pass over the counts: about what `begin_async` and an empty second pass take.
/// **Example** (tests/gpu/dealt.cu):
///
///     const list_probe probe{counts.data()};
///     for (int again = 0; again < 2; ++again) check(probe.enqueue(on, all.size(), counts_of{n.data()}));
struct list_probe {
  list_counts* counts;  // in device memory; the caller reads and frees it

#if !defined(__CUDACC_RTC__)
  /// Enqueues the pass over the sources from 0 on. `count` is copied to the device.
  template <class Count>
  [[nodiscard]] cudaError_t enqueue(cudaStream_t stream, unsigned sources, const Count& count) const {
    const cudaError_t cleared = cudaMemsetAsync(counts, 0, sizeof(list_counts), stream);
    if (cleared != cudaSuccess || sources == 0) return cleared;
    auto* const kernel = detail::expand::add_up_counts<Count>;
    return launch(
        detail::resident_of(reinterpret_cast<const void*>(kernel), 256, 0, (sources - 1) / 256 + 1, 1, 0x7fffffff),
        stream, kernel, counts, sources, count);
  }
#endif
};

#endif

}}  // namespace heddle::HEDDLE_ABI

#pragma once

#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_store.cuh>

#include <bit>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <heddle/launch/compiled_params.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sweep.hpp"

/// A merge sort of keys that has its launch shape as one parameter: a box.
///
/// Every block sorts one tile of `threads * values` keys; then ceil(log2(tiles)) passes merge pairs of sorted runs, and
/// every block of a pass writes one tile of its output.
namespace sort_bench {

/// A box that is the same on every GPU: one point of the sweep.
template <int Threads, int Values, int MinBlocks = 0>
struct shape {
  struct params {
    int threads, min_blocks, values;
  };
  HEDDLE_FN params operator()(heddle::arch) const { return {Threads, MinBlocks, Values}; }
};

/// How many of the first `diagonal` keys of the merged sequence come from a. `a_first(i, j)` says whether a[i] comes
/// before b[j]; of equal keys, those of a come first.
template <class Before>
HEDDLE_DEVICE int merge_path(int diagonal, int a_count, int b_count, Before a_first) {
  int low = diagonal > b_count ? diagonal - b_count : 0;
  int high = diagonal < a_count ? diagonal : a_count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (a_first(middle, diagonal - 1 - middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The two runs that a tile of the output belongs to, as positions of keys: [begin, middle) and [middle, end). The
/// second is empty for the last of an odd number of runs.
struct run_pair {
  int begin, middle, end;
};

/// The pair of runs of a tile. `run` is the number of tiles in a sorted run, a power of two.
HEDDLE_DEVICE inline run_pair pair_of(int tile, int run, int keys_per_tile, int count) {
  const int first = tile & -(2 * run);
  // 64 bits: the last pair may reach past 2^31 before it is cut off at the end of the keys.
  const auto position = [=](long long at) {
    at *= keys_per_tile;
    return static_cast<int>(at < count ? at : count);
  };
  return {position(first), position(first + run), position(first + 2LL * run)};
}

/// Sorts every tile. `from` and `to` may be the same: a block reads only the tile that it writes.
template <heddle::launch_box Box, class Key>
__global__ __launch_bounds__(heddle::box_params<Box>().threads,
                             heddle::box_params<Box>().min_blocks) void sort_tiles(const Key* from, Key* to,
                                                                                   int count) {
  constexpr auto box = heddle::box_params<Box>();
  constexpr int size = box.threads * box.values;
  using block_load = cub::BlockLoad<Key, box.threads, box.values, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using block_sort = cub::BlockMergeSort<Key, box.threads, box.values>;
  using block_store = cub::BlockStore<Key, box.threads, box.values, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ union {
    typename block_load::TempStorage load;
    typename block_sort::TempStorage sort;
    typename block_store::TempStorage store;
  } storage;

  const int begin = static_cast<int>(blockIdx.x) * size;
  const int valid = count - begin;
  Key keys[box.values];
  if (valid >= size) {
    block_load(storage.load).Load(from + begin, keys);
  } else {
    block_load(storage.load).Load(from + begin, keys, valid, cuda::std::numeric_limits<Key>::max());
  }
  __syncthreads();
  block_sort(storage.sort).Sort(keys, cuda::std::less<Key>{});
  __syncthreads();
  if (valid >= size) {
    block_store(storage.store).Store(to + begin, keys);
  } else {
    block_store(storage.store).Store(to + begin, keys, valid);
  }
}

/// Writes, for every tile of the output of a pass, the position of the first key of the pair's first run that belongs
/// to it. One thread per tile.
template <class Key>
__global__ void partition_tiles(const Key* __restrict__ from, int* __restrict__ partitions, int tiles, int run,
                                int keys_per_tile, int count) {
  const int tile = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (tile >= tiles) return;
  const run_pair pair = pair_of(tile, run, keys_per_tile, count);
  const Key* a = from + pair.begin;
  const Key* b = from + pair.middle;
  const int diagonal = tile * keys_per_tile - pair.begin;
  partitions[tile] = pair.begin + merge_path(diagonal, pair.middle - pair.begin, pair.end - pair.middle,
                                             [=](int i, int j) { return !(b[j] < a[i]); });
}

/// Merges pairs of runs of `run` tiles; one block per tile of the output.
///
/// In shared memory the part of the first run ascends and the part of the second one descends after it:
///
///     a0 a1 a2 … a_last b_last … b2 b1 b0
///     ^ front                          ^ back
///
/// The next key is the smaller of front and back. A side that has run out needs no check: its pointer is at the largest
/// key of the other side, which is not smaller than the key that it is compared with.
template <heddle::launch_box Box, class Key>
__global__ __launch_bounds__(heddle::box_params<Box>().threads,
                             heddle::box_params<Box>().min_blocks) void merge_tiles(const Key* __restrict__ from,
                                                                                    Key* __restrict__ to,
                                                                                    const int* __restrict__ partitions,
                                                                                    int tiles, int run, int count) {
  constexpr auto box = heddle::box_params<Box>();
  constexpr int size = box.threads * box.values;
  using block_store = cub::BlockStore<Key, box.threads, box.values, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ union {
    Key merged[size];
    typename block_store::TempStorage store;
  } storage;

  const int tile = static_cast<int>(blockIdx.x);
  const int thread = static_cast<int>(threadIdx.x);
  const run_pair pair = pair_of(tile, run, size, count);
  const int begin = tile * size;
  const int valid = min(count - begin, size);
  const bool last_of_pair = begin + valid == pair.end;
  const int a_begin = partitions[tile];
  const int a_end = last_of_pair ? pair.middle : partitions[tile + 1];
  const int a_count = a_end - a_begin;
  // Unsigned: in a last tile that is cut off, positions past the end of the keys are computed, which may pass 2^31.
  const unsigned b_begin = static_cast<unsigned>(pair.middle + (begin - a_begin));
  const unsigned b_end = static_cast<unsigned>(pair.middle + (begin + valid - a_end));

  // All loads are issued before the first is waited for. A tile that is cut off gets maximum keys after its part of the
  // second run, so that all tiles are full below. Positions in the first run are below b_end.
  Key keys[box.values];
#pragma unroll
  for (int i = 0; i < box.values; ++i) {
    const int slot = i * box.threads + thread;
    const unsigned source = slot < a_count ? static_cast<unsigned>(a_begin + slot) : b_begin + (size - 1 - slot);
    keys[i] = source < b_end ? from[source] : cuda::std::numeric_limits<Key>::max();
  }
#pragma unroll
  for (int i = 0; i < box.values; ++i) storage.merged[i * box.threads + thread] = keys[i];
  __syncthreads();

  const int diagonal = thread * box.values;
  int front = merge_path(diagonal, a_count, size - a_count,
                         [&](int i, int j) { return !(storage.merged[size - 1 - j] < storage.merged[i]); });
  int back = size - 1 - (diagonal - front);
  Key a = storage.merged[front];
  Key b = storage.merged[back];
#pragma unroll
  for (int i = 0; i < box.values; ++i) {
    const bool from_back = b < a;
    keys[i] = from_back ? b : a;
    // The last thread has nothing left to read after its last key.
    if (i + 1 == box.values) break;
    if (from_back) {
      --back;
    } else {
      ++front;
    }
    const Key next = storage.merged[from_back ? back : front];
    (from_back ? b : a) = next;
  }
  __syncthreads();

  if (valid == size) {
    block_store(storage.store).Store(to + begin, keys);
  } else {
    block_store(storage.store).Store(to + begin, keys, valid);
  }
}

template <class Box, class Key>
struct sorter {
  static_assert(std::is_unsigned_v<Key>);

  /// Sorts `keys`. `scratch` has room for as many keys, `partitions` for one int per tile. The two buffers of keys swap
  /// in every pass; tiles are sorted into the one from which the last pass ends in `keys`.
  [[nodiscard]] static cudaError_t sort(Key* keys, Key* scratch, int* partitions, int count, cudaStream_t stream) {
    if (count < 0) return cudaErrorInvalidValue;
    if (count < 2) return cudaSuccess;
    const auto sorting = heddle::compiled_params<Box>(sort_tiles<Box, Key>);
    const auto merging = heddle::compiled_params<Box>(merge_tiles<Box, Key>);
    if (sorting.error != cudaSuccess) return sorting.error;
    if (merging.error != cudaSuccess) return merging.error;
    const auto box = merging.value;
    constexpr int partition_threads = 128;
    const int size = box.threads * box.values, blocks = count / size + (count % size != 0);
    const int passes = std::bit_width(static_cast<unsigned>(blocks - 1));  // ceil(log2(blocks))
    Key* from = passes % 2 == 0 ? keys : scratch;
    Key* to = from == keys ? scratch : keys;
    sort_tiles<Box><<<blocks, box.threads, 0, stream>>>(static_cast<const Key*>(keys), from, count);
    for (int run = 1; run < blocks; run *= 2) {
      partition_tiles<<<(blocks + partition_threads - 1) / partition_threads, partition_threads, 0, stream>>>(
          static_cast<const Key*>(from), partitions, blocks, run, size, count);
      merge_tiles<Box><<<blocks, box.threads, 0, stream>>>(static_cast<const Key*>(from), to,
                                                           static_cast<const int*>(partitions), blocks, run, count);
      std::swap(from, to);
    }
    return cudaGetLastError();
  }
};

/// What a sweep measures: one configuration per box.
template <class Key, class... Boxes>
std::vector<configuration<Key>> configurations_of() {
  const auto entry = []<class Box>(Box of) {
    const auto box = of(heddle::arch{90});
    std::string name = std::to_string(box.threads) + "x" + std::to_string(box.values);
    if (box.min_blocks != 0) name += " min " + std::to_string(box.min_blocks);
    return configuration<Key>{std::move(name), box.threads, box.values, box.min_blocks, &sorter<Box, Key>::sort};
  };
  return {entry(Boxes{})...};
}

}  // namespace sort_bench

#pragma once

#include <heddle/concepts.hpp>
#include <heddle/detail/device_state.hpp>
#include <heddle/order/detail/heaviest_first.hpp>
#include <heddle/order/detail/warp.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::order {

/// Sorts the tiles of an order by classes of cost, the most costly class first, and keeps their order within a class:
/// in the blocks of a kernel, or on the host.
template <class Order>
struct cost_sort {
  static constexpr unsigned classes = 2048;  // an exponent of eight bits, and three bits of the mantissa

  Order inner;
  int* tiles;   // by place
  int* places;  // by tile

  /// Returns the class of the i-th tile of the order inside.
  template <class Cost>
  HEDDLE_FN unsigned class_of(const Cost& cost, unsigned i) const {
    const auto of = static_cast<float>(cost(inner(static_cast<int>(i))));
    return of > 0 ? __builtin_bit_cast(unsigned, of) >> 20 : 0;
  }

  HEDDLE_FN void put(unsigned tile, unsigned place) const {
    tiles[place] = static_cast<int>(tile);
    places[tile] = static_cast<int>(place);
  }

#if !defined(__CUDACC_RTC__)
  template <class Cost>
  void on_host(const Cost& cost) const {
    const int size = inner.size();
    heaviest_first<unsigned> sorted(size);
    for (int i = 0; i < size; ++i) sorted[i] = {class_of(cost, static_cast<unsigned>(i)), i};
    sorted.sort();
    for (int i = 0; i < size; ++i) put(static_cast<unsigned>(sorted[i].number), static_cast<unsigned>(i));
  }
#endif

#if defined(__CUDACC__)
  static constexpr unsigned threads = 1024;

  struct storage {
    unsigned before[classes];  // tiles before the block's own; then the place of the block's next tile
    unsigned others[classes];
    unsigned of_warps[32];
  };

  /// Returns the blocks of the kernel: each looks at all tiles, so that no block waits for another.
  HEDDLE_FN unsigned blocks() const {
    constexpr unsigned own = 128, most = 128;
    const unsigned enough = static_cast<unsigned>(most_tiles(inner)) / own + 1;
    return enough < most ? enough : most;
  }

  /// All threads of all blocks call it.
  template <class Cost>
  HEDDLE_DEVICE void in_block(storage& shared, const Cost& cost) const {
    const auto size = static_cast<unsigned>(inner.size());
    const unsigned own = size / gridDim.x + 1, first = own * blockIdx.x < size ? own * blockIdx.x : size;
    const unsigned end = size - first < own ? size : first + own;
    for (unsigned i = threadIdx.x; i < classes; i += blockDim.x) shared.before[i] = shared.others[i] = 0;
    __syncthreads();
    count(shared, cost, first, size);
    __syncthreads();
    find_places(shared);
    for (unsigned from = first; from < end; from += blockDim.x) place_some(shared, cost, from, end);
  }

 private:
  template <class Cost>
  HEDDLE_DEVICE void count(storage& shared, const Cost& cost, unsigned first, unsigned size) const {
    constexpr unsigned at_once = 4;  // costs that a thread waits for together
    for (unsigned from = threadIdx.x; from < size; from += at_once * blockDim.x) {
      unsigned of[at_once];
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i) {
        const unsigned at = from + i * blockDim.x;
        of[i] = at < size ? class_of(cost, at) : classes;
      }
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i) {
        if (of[i] == classes) continue;
        atomicAdd(from + i * blockDim.x < first ? &shared.before[of[i]] : &shared.others[of[i]], 1u);
      }
    }
  }

  /// Makes of the counts the place of the first own tile of each class. Each thread has some classes, the first one the
  /// most costly. One barrier, and one behind it.
  HEDDLE_DEVICE void find_places(storage& shared) const {
    const unsigned each = (classes - 1) / blockDim.x + 1, begin = threadIdx.x * each, number = threadIdx.x / 32;
    const unsigned end = begin + each < classes ? begin + each : classes;
    unsigned mine = 0;
    for (unsigned i = begin; i < end; ++i) mine += shared.before[classes - 1 - i] + shared.others[classes - 1 - i];
    const unsigned up_to_here = warp::inclusive_sum(mine);
    if (warp::lane() == 31) shared.of_warps[number] = up_to_here;
    __syncthreads();
    const unsigned before = warp::lane() < number ? shared.of_warps[warp::lane()] : 0;
    unsigned place = static_cast<unsigned>(warp::sum(static_cast<int>(before))) + up_to_here - mine;
    for (unsigned i = begin; i < end; ++i) {
      const unsigned of = classes - 1 - i, all = shared.before[of] + shared.others[of];
      shared.before[of] += place;
      place += all;
    }
    __syncthreads();
  }

  /// Places a tile per thread. Warps take their places one after another.
  template <class Cost>
  HEDDLE_DEVICE void place_some(storage& shared, const Cost& cost, unsigned from, unsigned end) const {
    const unsigned at = from + threadIdx.x, left = end - from < blockDim.x ? end - from : blockDim.x;
    const unsigned of = at < end ? class_of(cost, at) : classes, peers = __match_any_sync(warp::all, of);
    const int leader = __ffs(static_cast<int>(peers)) - 1;
    unsigned place = 0;
    for (unsigned turn = 0; 32 * turn < left; ++turn) {
      if (turn == threadIdx.x / 32 && warp::lane() == static_cast<unsigned>(leader) && at < end) {
        place = shared.before[of];
        shared.before[of] = place + static_cast<unsigned>(__popc(peers));
      }
      __syncthreads();
    }
    place = __shfl_sync(warp::all, place, leader) + static_cast<unsigned>(__popc(peers & ptx::lanemask_lt()));
    if (at < end) put(at, place);
  }
#endif
};

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
template <class Sort, class Cost>
__global__ void __launch_bounds__(Sort::threads)
    sort_by_cost(const __grid_constant__ Sort sort, const __grid_constant__ Cost cost) {
  __shared__ typename Sort::storage smem;
  sort.in_block(smem, cost);
}
#endif

}}}  // namespace heddle::HEDDLE_ABI::detail::order

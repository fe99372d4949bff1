#pragma once

#include <heddle/concepts.hpp>
#include <heddle/detail/device_state.hpp>
#include <heddle/order/detail/heaviest_first.hpp>
#include <heddle/order/detail/warp.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
namespace detail::order {
template <class Order, class Cost>
__global__ void __launch_bounds__(1024)
    sort_by_cost(const __grid_constant__ Order order, const __grid_constant__ Cost cost) {
  __shared__ typename Order::preparing_storage smem;
  order.prepare(smem, cost);
}
}  // namespace detail::order
#endif

/// Walks the costly tiles of another order first, by costs that only the device knows: lengths of sequences, degrees.
///
///   costs along the order      1 4 2 9 4 0      its tiles along costly_first      3 1 4 2 0 5
///
/// Blocks that take one tile after another end together if the last tiles are short. A preparation on the stream sorts
/// the tiles by classes of cost, eight per octave: a tile comes before all that cost 8/9 of it or less. Tiles of a
/// class keep their order, and what they share in L2. A captured graph serves other costs at its next replay.
///
/// **Preconditions**: the state is `state_bytes(order)` bytes on the device; it need not be zeroed. No launch that uses
/// it runs during a preparation. `cost(tile)` is a number, always the same; one that is not above 0 is the least.
///
/// **Cost**: 8 bytes of state and a load per tile. H200: a preparation, in which each block looks at all costs, adds
/// 6.8 us to a graph for 16,384 tiles, and 17 us for 65,536.
///
/// **Example** (tests/gpu/costly_first.cu):
///
///     const costly_first order{grid, state.data()};
///     check(order.prepare_async(tokens_of_row{tokens.data()}, on));
template <tile_order Order>
class costly_first {
  static_assert(detail::are_tiles<Order>());
  static constexpr unsigned classes = 2048;  // an exponent of eight bits, and three bits of the mantissa

 public:
  /// Builds the order from another one and a state.
  HEDDLE_HOST costly_first(Order order, void* device_state)
      : order_(order),
        tiles_(detail::require_state<int>("heddle::costly_first: state", device_state)),
        places_(tiles_ + heddle::most_tiles(order)) {}

  /// Returns the bytes of a state.
  HEDDLE_HOST static decltype(sizeof 0) state_bytes(const Order& order) {
    return 2 * sizeof(int) * static_cast<unsigned>(heddle::most_tiles(order));
  }

  /// Returns the space that the order covers.
  HEDDLE_FN auto space() const requires space_order<Order> { return order_.space(); }
  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return order_.size(); }
  /// Returns a bound of the number of tiles, if only the device knows it.
  HEDDLE_FN int most_tiles() const requires bounds_tiles<Order> { return order_.most_tiles(); }

  /// Returns the i-th tile.
  HEDDLE_FN tile_of<Order> operator()(int i) const { return order_(tiles_[i]); }
  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(tile_of<Order> tile) const { return places_[order_.index(tile)]; }

#if !defined(__CUDACC_RTC__)
  /// Prepares a state in memory of the host, and returns the order for use there: in predictions, drawings and laws.
  template <class Cost>
  costly_first on_host(const Cost& cost) const {
    detail::order::heaviest_first<unsigned> sorted(size());
    for (int i = 0; i < size(); ++i) sorted[i] = {class_of(cost, static_cast<unsigned>(i)), i};
    sorted.sort(0, size());
    for (int i = 0; i < size(); ++i) put(static_cast<unsigned>(sorted[i].number), static_cast<unsigned>(i));
    return *this;
  }
#endif

#if defined(__CUDACC__)
  /// The shared memory of a block that prepares: 16.1 KB.
  struct preparing_storage {
    unsigned before[classes];  // tiles before the block's own; then the place of the block's next tile
    unsigned others[classes];
    unsigned of_warps[32];
  };

  /// Prepares the state in a kernel of your own, of any number of blocks of whole warps, all threads of which call it.
  template <class Cost>
  HEDDLE_DEVICE void prepare(preparing_storage& shared, const Cost& cost) const {
    const auto tiles = static_cast<unsigned>(size());
    const unsigned own = tiles / gridDim.x + 1, first = own * blockIdx.x < tiles ? own * blockIdx.x : tiles;
    const unsigned end = tiles - first < own ? tiles : first + own;
    for (unsigned i = threadIdx.x; i < classes; i += blockDim.x) shared.before[i] = shared.others[i] = 0;
    __syncthreads();
    constexpr unsigned at_once = 4;  // costs that a thread waits for together
    for (unsigned from = threadIdx.x; from < tiles; from += at_once * blockDim.x) {
      unsigned of[at_once];
#pragma unroll
      for (unsigned i = 0, at = from; i < at_once; ++i, at += blockDim.x) {
        of[i] = at < tiles ? class_of(cost, at) : classes;
      }
#pragma unroll
      for (unsigned i = 0, at = from; i < at_once; ++i, at += blockDim.x) {
        if (of[i] < classes) atomicAdd(at < first ? &shared.before[of[i]] : &shared.others[of[i]], 1u);
      }
    }
    __syncthreads();
    find_places(shared);
    for (unsigned from = first; from < end; from += blockDim.x) place_some(shared, cost, from, end);
  }

#if !defined(__CUDACC_RTC__)
  /// Enqueues the preparation. `cost` is a value that the device calls with a tile.
  template <kernel_argument Cost>
  [[nodiscard]] cudaError_t prepare_async(const Cost& cost, cudaStream_t stream) const {
    // Of its own a block has 128 tiles, or more in large launches. H200, 16,384 tiles: 6.5 us, and 6.8 with 256.
    const unsigned enough = static_cast<unsigned>(heddle::most_tiles(order_)) / 128 + 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(enough < 128 ? enough : 128);
    config.blockDim = dim3(1024);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, detail::order::sort_by_cost<costly_first, Cost>, *this, cost);
  }
#endif
#endif

 private:
  template <class Cost>
  HEDDLE_FN unsigned class_of(const Cost& cost, unsigned i) const {
    const auto of = static_cast<float>(cost(order_(static_cast<int>(i))));
    return of > 0 ? __builtin_bit_cast(unsigned, of) >> 20 : 0;
  }

  HEDDLE_FN void put(unsigned tile, unsigned place) const {
    tiles_[place] = static_cast<int>(tile);
    places_[tile] = static_cast<int>(place);
  }

#if defined(__CUDACC__)
  /// Makes of the counts the place of the first own tile of each class. The first thread has the most costly classes.
  HEDDLE_DEVICE void find_places(preparing_storage& shared) const {
    const unsigned each = (classes - 1) / blockDim.x + 1, begin = threadIdx.x * each, number = threadIdx.x / 32;
    const unsigned end = begin + each < classes ? begin + each : classes;
    unsigned mine = 0;
    for (unsigned i = begin; i < end; ++i) mine += shared.before[classes - 1 - i] + shared.others[classes - 1 - i];
    const unsigned up_to_here = detail::warp::inclusive_sum(mine), lane = detail::warp::lane();
    if (lane == 31) shared.of_warps[number] = up_to_here;
    __syncthreads();
    const int before = detail::warp::sum(lane < number ? static_cast<int>(shared.of_warps[lane]) : 0);
    unsigned place = static_cast<unsigned>(before) + up_to_here - mine;
    for (unsigned i = begin; i < end; ++i) {
      const unsigned of = classes - 1 - i, all = shared.before[of] + shared.others[of];
      shared.before[of] += place;
      place += all;
    }
    __syncthreads();
  }

  /// Places a tile per thread. Warps take their places one after another.
  template <class Cost>
  HEDDLE_DEVICE void place_some(preparing_storage& shared, const Cost& cost, unsigned from, unsigned end) const {
    const unsigned at = from + threadIdx.x, of = at < end ? class_of(cost, at) : classes;
    const unsigned peers = __match_any_sync(detail::warp::all, of), below = peers & detail::ptx::lanemask_lt();
    unsigned place = 0;
    for (unsigned turn = from; turn < end && turn - from < blockDim.x; turn += 32) {
      if (turn - from == threadIdx.x / 32 * 32 && below == 0 && at < end) {
        place = shared.before[of];
        shared.before[of] = place + static_cast<unsigned>(__popc(peers));
      }
      __syncthreads();
    }
    place = __shfl_sync(detail::warp::all, place, __ffs(static_cast<int>(peers)) - 1);
    if (at < end) put(at, place + static_cast<unsigned>(__popc(below)));
  }
#endif

  Order order_;
  int *tiles_, *places_;  // by place; by index in the order inside
};

template <class Order>
costly_first(Order, void*) -> costly_first<detail::as_tile_order<Order>>;

}}  // namespace heddle::HEDDLE_ABI

#pragma once

#include <heddle/order/detail/cost_sort.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Walks the costly tiles of another order first, by costs that only the device knows: lengths of sequences, degrees.
///
///   costs along the order      1 4 2 9 4 0      its tiles along costly_first      3 1 4 2 0 5
///
/// Blocks that take one tile after another end together if the last tiles are short. A preparation on the stream sorts
/// the tiles by classes of cost, eight per octave: a tile comes before all that cost 8/9 of it or less, and tiles of a
/// class keep their order. So even costs leave the order as it is, with what its tiles share in L2. Nothing returns to
/// the host, so a captured graph serves other costs at its next replay.
///
/// **Preconditions**: the state is `state_bytes(order)` bytes on the device; it need not be zeroed. No launch that uses
/// it runs during a preparation. `cost(tile)` is a number, the same whenever it is asked for; one that is not above 0
/// is the least.
///
/// **Effects**: every block of a preparation asks for the cost of every tile.
///
/// **Cost**: 8 bytes of state and one load per tile; a preparation is one small kernel.
///
/// **Example** (tests/gpu/costly_first.cu):
///
///     const costly_first order{grid, state.data()};
///     check(order.prepare_async(tokens_of_row{tokens.data()}, on));
template <tile_order Order>
class costly_first {
  static_assert(detail::are_tiles<Order>());

 public:
  /// Builds the order from another one and a state.
  HEDDLE_HOST costly_first(Order order, void* device_state)
      : sort_{order, detail::require_state<int>("heddle::costly_first: state", device_state), nullptr} {
    sort_.places = sort_.tiles + heddle::most_tiles(order);
  }

  /// Returns the bytes of a state.
  HEDDLE_HOST static decltype(sizeof 0) state_bytes(const Order& order) {
    return 2 * sizeof(int) * static_cast<unsigned>(heddle::most_tiles(order));
  }

  /// Returns the space that the order covers.
  HEDDLE_FN auto space() const requires space_order<Order> { return sort_.inner.space(); }
  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return sort_.inner.size(); }
  /// Returns a bound of the number of tiles, if only the device knows it.
  HEDDLE_FN int most_tiles() const requires bounds_tiles<Order> { return sort_.inner.most_tiles(); }

  /// Returns the i-th tile.
  HEDDLE_FN tile_of<Order> operator()(int i) const { return sort_.inner(sort_.tiles[i]); }
  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(tile_of<Order> tile) const { return sort_.places[sort_.inner.index(tile)]; }

#if !defined(__CUDACC_RTC__)
  /// Prepares a state in memory of the host, and returns the order for use there: in predictions, drawings and laws.
  template <class Cost>
  costly_first on_host(const Cost& cost) const {
    sort_.on_host(cost);
    return *this;
  }
#endif

#if defined(__CUDACC__)
  /// The shared memory of a block that prepares: 16.1 KB.
  using preparing_storage = typename detail::order::cost_sort<Order>::storage;

  /// Prepares the state in a kernel of your own, of any number of blocks of whole warps, all threads of which call it.
  template <class Cost>
  HEDDLE_DEVICE void prepare(preparing_storage& shared, const Cost& cost) const {
    sort_.in_block(shared, cost);
  }

#if !defined(__CUDACC_RTC__)
  /// Enqueues the preparation. `cost` is a value that the device calls with a tile.
  template <kernel_argument Cost>
  [[nodiscard]] cudaError_t prepare_async(const Cost& cost, cudaStream_t stream) const {
    using sort = detail::order::cost_sort<Order>;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(sort_.blocks());
    config.blockDim = dim3(sort::threads);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, detail::order::sort_by_cost<sort, Cost>, sort_, cost);
  }
#endif
#endif

 private:
  detail::order::cost_sort<Order> sort_;
};

template <class Order>
costly_first(Order, void*) -> costly_first<detail::as_tile_order<Order>>;

}}  // namespace heddle::HEDDLE_ABI

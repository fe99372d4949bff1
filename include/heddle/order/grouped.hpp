#pragma once

#include <heddle/detail/device_state.hpp>
#include <heddle/detail/warp.hpp>
#include <heddle/order/groups.hpp>

namespace heddle::inline HEDDLE_ABI {

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
namespace detail::order {

template <class Order>
__global__ void __launch_bounds__(Order::preparing_threads)
    prepare(const __grid_constant__ Order order, const int* ends, const int* weights) {
  __shared__ typename Order::preparing_storage smem;
  order.prepare(smem, ends, weights);
}

}  // namespace detail::order
#endif

/// Names which group of a `grouped` order comes first.
enum class group_sequence {
  as_numbered,    // group 0, group 1, …
  heaviest_first  // the group of most rows, or of most rows x weight; groups of equal weight as they are numbered
};

/// Orders the tiles of groups of rows whose sizes only the device knows: experts of a mixture, sequences of a batch.
/// Group follows group, and within a group the tiles lie in bands, as in `thread_group_tiling`.
///
///   rows 130, 64, 0; tiles of 64 rows, 2 columns;      0 2 | group 0      6 7 | group 1
///   bands of 2 rows                                    1 3 |
///                                                      4 5 |
///
/// A launch follows a preparation on the same stream, which reads where each group ends. Nothing returns to the host,
/// so a captured graph serves other sizes at its next replay. One preparation serves every launch behind it.
///
/// **Preconditions**: the state is `state_bytes(shape)` bytes on the device; it need not be zeroed. No launch that uses
/// it runs during a preparation. The groups have at most 2^31 - 1 tiles together; the constructor checks the bound.
///
/// **Effects**: a preparation counts ends that are wrong, and leaves their groups empty: see `prepared_groups`. It
/// writes nothing outside the state, whatever the ends are.
///
/// **Cost**: two dependent loads per tile; a preparation is one small kernel.
///
/// **Example** (tests/gpu/groups.cu):
///
///     const grouped order{many, state.data(), 3, axis::y, sequence};
///     check(order.prepare_async(on_device.data(), on));
class grouped {
 public:
  /// Builds the order from the shape of its groups, its state, and the bands of each group.
  HEDDLE_HOST grouped(group_shape shape, void* device_state, long long width = 8, axis along = axis::y,
                      group_sequence sequence = group_sequence::as_numbered)
      : space_(shape, detail::require_state<detail::order::group_record>("heddle::grouped: state", device_state)),
        grid_(0, shape.cols),
        records_(detail::order::part<detail::order::group_record>(device_state, records_at(shape.groups))),
        group_at_(detail::order::part<int>(device_state, group_at_at(shape.groups))),
        width_(detail::require_int_at_least(1, "heddle::grouped: width", width)),
        along_(along),
        sequence_(sequence),
        rows_(static_cast<int>(shape.rows)),
        tile_rows_(static_cast<int>(shape.tile_rows)),
        most_row_tiles_(shape.most_row_tiles()) {}

  /// Returns the bytes of a state.
  HEDDLE_HOST static decltype(sizeof 0) state_bytes(group_shape shape) {
    shape.check();
    return group_at_at(shape.groups) + sizeof(int) * static_cast<unsigned>(shape.most_row_tiles());
  }

  /// Returns the space of tiles.
  HEDDLE_FN const groups& space() const { return space_; }
  /// Returns a bound of the number of tiles, which the host knows.
  HEDDLE_FN int most_tiles() const { return most_row_tiles_ * grid_.cols; }
  /// Returns the number of tiles, on the device.
  HEDDLE_FN int size() const { return space_.size(); }

  /// Returns the i-th tile.
  HEDDLE_FN group_coord operator()(int i) const {
    const auto& in = records_[group_at_[space_.cols_.quotient(i)]];
    const auto [row, col] = in.walk.tile(in.walk.at(i - in.first * grid_.cols));
    return {in.group, row, col};
  }

  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(group_coord tile) const {
    const auto& in = records_[space_.places_[tile.group]];
    return in.first * grid_.cols + in.walk.index(in.walk.position_of({tile.row, tile.col}));
  }

  /// Gives rows [begin, end) of all groups.
  struct row_range {
    int begin, end;  // counted in elements
  };

  /// Returns the rows of a tile. The last tile of a group may have fewer than `tile_rows`.
  HEDDLE_FN row_range rows_of(group_coord tile) const {
    const int begin = space_.bounds_[tile.group] + tile.row * tile_rows_, end = space_.bounds_[tile.group + 1];
    return {begin, end - begin < tile_rows_ ? end : begin + tile_rows_};
  }

  /// Returns the same order over a state in memory of the host, which laws and tests prepare there.
  HEDDLE_HOST grouped on_host() const {
    grouped copy = *this;
    copy.space_.on_host_ = true;
    return copy;
  }

#if defined(__CUDACC__)
  /// The most threads of a block that prepares.
  static constexpr unsigned preparing_threads = 1024;

  /// The shared memory of a block that prepares.
  struct preparing_storage {
    int of_warps[32];
    int tiles[preparing_threads], first[preparing_threads], places[preparing_threads];
    detail::word64 weights[preparing_threads];
  };

  /// Prepares the state. All threads of as many blocks of whole warps as give each group a thread call it;
  /// `prepare_async` does it in a kernel.
  HEDDLE_DEVICE void prepare(preparing_storage& shared, const int* ends, const int* weights) const {
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    const int mine = static_cast<int>(blockIdx.x) * threads + thread;
    found here{};
    int wrong = 0;
    totals all{};
    // Every block looks at all groups, so that no block waits for another.
    for (int from = 0; from == 0 || from < space_.count_; from += threads) {
      const found one = look_at(shared, ends, from, all);
      if (mine - thread == from) here = one;
      wrong += one.is_wrong ? 1 : 0;
    }
    wrong = inclusive_scan(shared.of_warps, wrong, plus{});  // the last thread has all
    __syncthreads();                                         // the next scan writes where this one is read
    if (mine < space_.count_) {
      space_.bounds_[mine + 1] = here.end;
      space_.first_[mine] = here.first;
    }
    if (blockIdx.x == 0 && thread == threads - 1) {
      space_.bounds_[0] = 0;
      space_.first_[space_.count_] = all.tiles;
      *space_.prepared_ = {all.tiles * grid_.cols, all.tiles, wrong, all.end};
    }
    int place = mine;
    if (sequence_ == group_sequence::heaviest_first) place = rank(shared, ends, weights, mine, here);
    if (mine < space_.count_) {
      space_.places_[mine] = place;
      extent grid = grid_;
      grid.rows = here.tiles;
      records_[place] = {detail::order::bands(grid, width_, along_), mine, here.first};
    }
    fill(shared, here, place);
  }

#if !defined(__CUDACC_RTC__)
  /// Enqueues the preparation. `ends` has for each group the row at which it ends, counted over all groups, on the
  /// device. With `weights`, one per group on the device, the heaviest group is the one of most rows x weight.
  template <int Unused = 0>
  [[nodiscard]] cudaError_t prepare_async(const int* ends, cudaStream_t stream, const int* weights = nullptr) const {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(space_.count_ > 0 ? (static_cast<unsigned>(space_.count_) - 1) / preparing_threads + 1 : 1);
    const auto groups = static_cast<unsigned>(space_.count_);  // no more warps than have a group
    config.blockDim = dim3(groups == 0 ? 32 : groups < preparing_threads ? (groups + 31) / 32 * 32 : preparing_threads);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, detail::order::prepare<grouped>, *this, ends, weights);
  }
#endif

 private:
  /// What a thread finds of one group: its rows and tiles, and the tiles of one column before it.
  struct found {
    int end, rows, tiles, first;
    bool is_wrong;
  };

  /// What a block has found of all groups so far.
  struct totals {
    int end, tiles;
  };

  struct plus {
    HEDDLE_DEVICE int operator()(int a, int b) const { return a + b; }
  };
  struct larger {
    HEDDLE_DEVICE int operator()(int a, int b) const { return a > b ? a : b; }
  };

  /// Combines the values of this thread and of those before it. All threads of the block call it; it has two barriers,
  /// and leaves the value of the whole block in the place of its last warp.
  template <class Op>
  HEDDLE_DEVICE static int inclusive_scan(int (&of_warps)[32], int value, Op op) {
    const auto in_warp = [&](int from) {
#pragma unroll
      for (unsigned step = 1; step < 32; step *= 2) {
        const int before = __shfl_up_sync(detail::warp::all, from, step);
        if (detail::warp::lane() >= step) from = op(before, from);
      }
      return from;
    };
    const unsigned lane = detail::warp::lane(), warp = threadIdx.x / 32;
    value = in_warp(value);
    if (lane == 31) of_warps[warp] = value;
    __syncthreads();
    const unsigned warps = blockDim.x / 32;
    if (warp == 0) {
      const int combined = in_warp(lane < warps ? of_warps[lane] : 0);
      of_warps[lane] = combined;
    }
    __syncthreads();
    return warp > 0 ? op(of_warps[warp - 1], value) : value;
  }

  /// Looks at the groups from `from` on, one per thread. A group ends at the largest end up to its own.
  HEDDLE_DEVICE found look_at(preparing_storage& shared, const int* ends, int from, totals& all) const {
    const int number = from + static_cast<int>(threadIdx.x);
    const int asked = number < space_.count_ ? ends[number] : 0;
    const int largest = inclusive_scan(shared.of_warps, 0 <= asked && asked <= rows_ ? asked : 0, larger{});
    const int end = larger{}(all.end, largest);
    shared.first[threadIdx.x] = end;
    const int last = shared.of_warps[blockDim.x / 32 - 1];
    __syncthreads();
    const int rows = end - (threadIdx.x == 0 ? all.end : shared.first[threadIdx.x - 1]);
    const int tiles = rows / tile_rows_ + (rows % tile_rows_ > 0 ? 1 : 0);
    const int sum = inclusive_scan(shared.of_warps, tiles, plus{});
    const int first = all.tiles + sum - tiles;
    all = {larger{}(all.end, last), all.tiles + shared.of_warps[blockDim.x / 32 - 1]};
    __syncthreads();
    return {end, rows, tiles, first, number < space_.count_ && asked != end};
  }

  /// Returns the place of this thread's group if heavier ones come first, and finds the tiles before it.
  HEDDLE_DEVICE int rank(preparing_storage& shared, const int* ends, const int* weights, int mine, found& here) const {
    const auto weight_of = [&](int number, int rows) {
      if (number >= space_.count_) return detail::word64{0};
      const int weight = weights == nullptr ? 1 : weights[number];
      return detail::word64{static_cast<unsigned>(rows)} * static_cast<unsigned>(weight > 0 ? weight : 0);
    };
    const detail::word64 own = weight_of(mine, here.rows);
    int place = 0;
    here.first = 0;
    totals all{};
    for (int from = 0; from < space_.count_; from += static_cast<int>(blockDim.x)) {
      const found one = look_at(shared, ends, from, all);
      shared.weights[threadIdx.x] = weight_of(from + static_cast<int>(threadIdx.x), one.rows);
      shared.tiles[threadIdx.x] = one.tiles;
      __syncthreads();
      const int left = space_.count_ - from;
      for (int i = 0; i < left && i < static_cast<int>(blockDim.x); ++i) {
        const bool is_before = shared.weights[i] > own || (shared.weights[i] == own && from + i < mine);
        place += is_before ? 1 : 0;
        here.first += is_before ? shared.tiles[i] : 0;
      }
      __syncthreads();
    }
    return place;
  }

  /// Writes the place of each of the block's groups for each of its tiles of one column: by a warp for each group, and
  /// by all threads for a large one.
  HEDDLE_DEVICE void fill(preparing_storage& shared, const found& here, int place) const {
    constexpr int many = 1024;
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    shared.tiles[thread] = here.tiles;
    shared.first[thread] = here.first;
    shared.places[thread] = place;
    const bool any_large = __syncthreads_or(here.tiles > many) != 0;
    const int left = space_.count_ - static_cast<int>(blockIdx.x) * threads, count = left < threads ? left : threads;
    for (int i = thread / 32; i < count; i += threads / 32) {
      for (int tile = thread % 32; shared.tiles[i] <= many && tile < shared.tiles[i]; tile += 32) {
        group_at_[shared.first[i] + tile] = shared.places[i];
      }
    }
    for (int i = 0; any_large && i < count; ++i) {
      for (int tile = thread; shared.tiles[i] > many && tile < shared.tiles[i]; tile += threads) {
        group_at_[shared.first[i] + tile] = shared.places[i];
      }
    }
  }
#endif

 private:
  using bytes = decltype(sizeof 0);

  // The state: what was found, groups' first tiles, bounds and places; records; and the place of each tile.
  HEDDLE_HOST static bytes records_at(long long groups) {
    return (sizeof(prepared_groups) + sizeof(int) * static_cast<bytes>(3 * groups + 2) + 15) / 16 * 16;
  }
  HEDDLE_HOST static bytes group_at_at(long long groups) {
    return records_at(groups) + sizeof(detail::order::group_record) * static_cast<bytes>(groups);
  }

  groups space_;
  extent grid_;                           // of a group without rows
  detail::order::group_record* records_;  // by place
  int* group_at_;                         // of each tile of one column, in the order: the place of its group
  // What a preparation needs, which a compiler without CUDA does not see.
  [[maybe_unused]] int width_;
  [[maybe_unused]] axis along_;
  [[maybe_unused]] group_sequence sequence_;
  [[maybe_unused]] int rows_;
  int tile_rows_, most_row_tiles_;
};

}  // namespace heddle::inline HEDDLE_ABI

#pragma once

#include <heddle/detail/device_state.hpp>
#include <heddle/detail/fast_div.hpp>
#include <heddle/order/detail/heaviest_first.hpp>
#include <heddle/order/detail/warp.hpp>
#include <heddle/order/groups.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::order {

/// Where a group is in the order, and the bands of its tiles.
struct group_record {
  bands walk;
  int group;
  int first;  // tiles of one column before it
};

/// Writes the state of a `grouped` order from the rows at which groups end: in the blocks of a kernel, or on the host.
struct preparation {
  groups space;
  group_record* records;  // by place
  int* group_at;          // of each tile of one column, in the order: the place of its group
  bands walk;             // of a group with all tiles
  group_sequence sequence;
  int rows;
  fast_div tile_rows;

#if defined(__CUDACC__)
  static constexpr unsigned most_threads = 1024;
  static constexpr int most_own = 128;

  /// What is found of one group: its rows, and its tiles of one column and those before them.
  struct found {
    int end, rows, tiles, first;
  };

  struct storage {
    int of_warps[3][32];
    found own[most_own];
    int places[most_own];
    int tiles[most_threads];
    word64 weights[most_threads];
  };

  struct shape {
    int blocks, threads;
  };

  /// Returns the launch of the kernel: short blocks start sooner, and many groups need threads to look at all of them.
  HEDDLE_FN shape launch() const {
    const int groups = space.count_ > 0 ? space.count_ : 1, most_warps = groups <= 1024 ? 8 : 32;
    const int warps = groups < 32 * most_warps ? (groups - 1) / 32 + 1 : most_warps, blocks = (groups - 1) / warps + 1;
    const int enough = (groups - 1) / most_own + 1;
    return {blocks <= 128 ? blocks : enough > 128 ? enough : 128, 32 * warps};
  }

  /// All threads of at least `count / most_own` blocks call it.
  ///
  /// Every block looks at all groups, each warp at a strip of them, so that no block waits for another. It then writes
  /// its own groups.
  HEDDLE_DEVICE void in_block(storage& shared, const int* ends, group_weights weights) const {
    const int count = space.count_, threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
    const int lane = thread % 32, number = thread / 32, strip = strip_of_warp();
    const int from = number * strip, to = from + strip < count ? from + strip : count;
    const int own = count > 0 ? (count - 1) / static_cast<int>(gridDim.x) + 1 : 0;
    const int first_own = static_cast<int>(blockIdx.x) * own, left = count - first_own, owned = left < own ? left : own;
    check(own <= most_own && own <= threads, "heddle::grouped: too few blocks or threads prepare");

    int largest = 0;
#pragma unroll 1
    for (int group = from + lane; group < to; group += 32) largest = larger(largest, in_range(ends[group]));
    largest = warp::largest(largest);
    if (lane == 0) shared.of_warps[0][number] = largest;
    __syncthreads();
    const int begin = warp::largest(lane < number ? shared.of_warps[0][lane] : 0);

    int tiles = 0, wrong = 0;  // of the warp, and of the lane
#pragma unroll 1
    for (int at = from, end = begin; at < to; at += 32) {
      const int group = at + lane, mine = group - first_own;
      found here = look(ends, group, to, end);
      const int up_to_here = warp::inclusive_sum(here.tiles);
      here.first = tiles + up_to_here - here.tiles;  // within the strip
      if (group < to && 0 <= mine && mine < owned) shared.own[mine] = here;
      tiles += __shfl_sync(warp::all, up_to_here, 31);
      wrong += group < to && ends[group] != here.end ? 1 : 0;
    }
    wrong = warp::sum(wrong);
    if (lane == 0) {
      shared.of_warps[1][number] = tiles;
      shared.of_warps[2][number] = wrong;
    }
    __syncthreads();
    const int before = warp::sum(lane < number ? shared.of_warps[1][lane] : 0);
    const int first_here = larger(from, first_own), end_here = to < first_own + owned ? to : first_own + owned;
#pragma unroll 1
    for (int group = first_here + lane; group < end_here; group += 32) {
      found& here = shared.own[group - first_own];
      here.first += before;
      shared.places[group - first_own] = group;
      write_numbered(group, here.end, here.first);
    }
    if (blockIdx.x == 0 && number == 0) {
      const bool is_warp = lane < threads / 32;
      const int all_tiles = warp::sum(is_warp ? shared.of_warps[1][lane] : 0);
      const int all_wrong = warp::sum(is_warp ? shared.of_warps[2][lane] : 0);
      const int last_end = warp::largest(is_warp ? shared.of_warps[0][lane] : 0);
      if (lane == 0) write_all(all_tiles, all_wrong, last_end);
    }
    __syncthreads();
    if (sequence != group_sequence::as_numbered) rank(shared, ends, weights, first_own, owned, begin);
    if (thread < owned) {
      write_placed(shared.places[thread], first_own + thread, shared.own[thread].tiles, shared.own[thread].first);
    }
    fill(shared, owned);
  }
#endif

#if !defined(__CUDACC_RTC__)
  void on_host(const int* ends, group_weights weights) const {
    heaviest_first<word64> in_sequence(space.count_);
    int tiles = 0, end = 0, wrong = 0;
    for (int group = 0; group < space.count_; ++group) {
      const int begin = end;
      end = larger(begin, in_range(ends[group]));
      in_sequence[group] = {weight_of(group, end - begin, weights), group};
      wrong += ends[group] != end ? 1 : 0;
      write_numbered(group, end, tiles);
      tiles += tiles_in(end - begin);
    }
    write_all(tiles, wrong, end);

    if (sequence != group_sequence::as_numbered) in_sequence.sort();
    int first = 0;
    for (int place = 0; place < space.count_; ++place) {
      const bool from_end = sequence == group_sequence::lightest_first;
      const int group = in_sequence[from_end ? space.count_ - 1 - place : place].number,
                here = space.first_[group + 1] - space.first_[group];
      write_placed(place, group, here, first);
      for (int tile = 0; tile < here; ++tile) group_at[first++] = place;
    }
  }
#endif

 private:
  /// Returns an end that may be right, and 0 for any other.
  HEDDLE_FN int in_range(int asked) const {
    return 0 <= asked && asked <= rows ? asked : 0;
  }

  HEDDLE_FN static int larger(int a, int b) {
    return a > b ? a : b;
  }

  HEDDLE_FN int tiles_in(int some_rows) const {
    const auto [whole, left] = tile_rows(some_rows);
    return whole + (left > 0 ? 1 : 0);
  }

  HEDDLE_FN static word64 weight_of(int group, int rows_of_group, group_weights weights) {
    const long long weight = weights(group);
    return word64{static_cast<unsigned>(rows_of_group)} * static_cast<unsigned>(weight > 0 ? weight : 0);
  }

  HEDDLE_FN void write_all(int row_tiles, int wrong, int last_end) const {
    space.bounds_[0] = 0;
    space.first_[space.count_] = row_tiles;
    *space.prepared_ = {row_tiles * space.columns_, row_tiles, wrong, last_end};
  }
  HEDDLE_FN void write_numbered(int group, int end, int first) const {
    space.bounds_[group + 1] = end;
    space.first_[group] = first;
  }
  HEDDLE_FN void write_placed(int place, int group, int tiles, int first) const {
    space.places_[group] = place;
    records[place] = {walk.with_rows(tiles), group, first};
  }

#if defined(__CUDACC__)
  /// Returns how many groups a warp looks at.
  HEDDLE_DEVICE int strip_of_warp() const {
    return space.count_ > 0 ? 32 * ((space.count_ - 1) / static_cast<int>(blockDim.x) + 1) : 0;
  }

  /// Looks at the group of each lane. The first one begins at `end`, which becomes the end of the last one. A group
  /// ends at the largest end up to its own.
  HEDDLE_DEVICE found look(const int* ends, int group, int to, int& end) const {
    int own_end = group < to ? in_range(ends[group]) : 0;
#pragma unroll 1
    for (unsigned step = 1; step < 32; step *= 2) {
      const int before = __shfl_up_sync(warp::all, own_end, step);  // of the lane itself, where there is none before
      own_end = larger(own_end, before);
    }
    own_end = larger(own_end, end);
    const int before = __shfl_up_sync(warp::all, own_end, 1), own_rows = own_end - (warp::lane() > 0 ? before : end);
    end = __shfl_sync(warp::all, own_end, 31);
    return {own_end, own_rows, tiles_in(own_rows), 0};
  }

  /// Finds the place of each of the block's groups by weight, and the tiles before it. A warp compares one of them with
  /// all others, and counts heavier ones from the beginning, or from the end.
  HEDDLE_DEVICE void rank(storage& shared, const int* ends, group_weights weights, int first_own, int owned,
                          int begin) const {
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x), count = space.count_;
    const int lane = thread % 32, strip = strip_of_warp(), from = thread / 32 * strip;
    const bool from_end = sequence == group_sequence::lightest_first;
    const int all = warp::sum(lane < threads / 32 ? shared.of_warps[1][lane] : 0);
    if (thread < owned) {
      shared.places[thread] = from_end ? count - 1 : 0;
      shared.own[thread].first = from_end ? all - shared.own[thread].tiles : 0;
    }
#pragma unroll 1
    for (int turn = 0; turn < strip; turn += 32) {
      const int group = from + turn + lane;
      const found here = look(ends, group, count, begin);
      shared.weights[thread] = group < count ? weight_of(group, here.rows, weights) : 0;
      shared.tiles[thread] = here.tiles;
      __syncthreads();
#pragma unroll 1
      for (int i = thread / 32; i < owned; i += threads / 32) {
        const int mine = first_own + i;
        const word64 weight = weight_of(mine, shared.own[i].rows, weights);
        int place = 0, first = 0;
        for (int j = lane; j < threads; j += 32) {
          const int other = j / 32 * strip + turn + lane;
          const bool is_before = shared.weights[j] > weight || (shared.weights[j] == weight && other < mine);
          place += is_before ? 1 : 0;
          first += is_before ? shared.tiles[j] : 0;
        }
        place = warp::sum(place);
        first = warp::sum(first);
        if (lane == 0) {
          shared.places[i] += from_end ? -place : place;
          shared.own[i].first += from_end ? -first : first;
        }
      }
      __syncthreads();
    }
  }

  /// Writes the place of each of the block's groups for each of its tiles of one column: by a warp for each group, and
  /// by all threads for a large one.
  HEDDLE_DEVICE void fill(const storage& shared, int owned) const {
    constexpr int many = 1024;
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    for (int i = thread / 32; i < owned; i += threads / 32) {
      const found here = shared.own[i];
#pragma unroll 1
      for (int tile = thread % 32; here.tiles <= many && tile < here.tiles; tile += 32) {
        group_at[here.first + tile] = shared.places[i];
      }
    }
    const bool has_large = __syncthreads_or(thread < owned && shared.own[thread].tiles > many) != 0;
    for (int i = 0; has_large && i < owned; ++i) {
      const found here = shared.own[i];
#pragma unroll 1
      for (int tile = thread; here.tiles > many && tile < here.tiles; tile += threads) {
        group_at[here.first + tile] = shared.places[i];
      }
    }
  }
#endif
};

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
template <class Preparation>
__global__ void __launch_bounds__(Preparation::most_threads)
    prepare(const __grid_constant__ Preparation preparation, const int* ends, group_weights weights) {
  __shared__ typename Preparation::storage smem;
  preparation.in_block(smem, ends, weights);
}
#endif

/// A base of an order whose state a kernel prepares. A member of a class template is compiled where it is called: only
/// a program that prepares has the kernel.
template <class Order>
class prepared_in_stream {
#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
 public:
  [[nodiscard]] cudaError_t prepare_async(const int* ends, cudaStream_t stream, group_weights weights = {}) const {
    const preparation& plan = static_cast<const Order&>(*this).plan_;
    const auto [blocks, threads] = plan.launch();
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.stream = stream;
    return cudaLaunchKernelEx(&config, prepare<preparation>, plan, ends, weights);
  }
#endif
};

}}}  // namespace heddle::HEDDLE_ABI::detail::order

#pragma once

#include <heddle/detail/warp.hpp>
#include <heddle/order/groups.hpp>

#if !defined(__CUDACC_RTC__)
#include <algorithm>
#include <numeric>
#include <vector>
#endif

namespace heddle::inline HEDDLE_ABI::detail::order {

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
  extent grid;            // of a group without rows
  int width;
  axis along;
  group_sequence sequence;
  int rows, tile_rows;

#if defined(__CUDACC__)
  static constexpr unsigned most_threads = 1024;

  /// What is found of one group: its rows, and its tiles of one column and those before them.
  struct found {
    int end, rows, tiles, first;
  };

  struct storage {
    int of_warps[3][32];
    found own[32];
    int places[32];
    int tiles[most_threads];
    word64 weights[most_threads];
  };

  /// All threads of as many blocks of whole warps as give each group a warp call it.
  ///
  /// Every block looks at all groups, each thread at some that follow each other, so that no block waits for another.
  /// A block then writes as many groups as it has warps.
  HEDDLE_DEVICE void in_block(storage& shared, const int* ends, const int* weights) const {
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x), count = space.count_;
    const int each = groups_per_thread(), from = thread * each < count ? thread * each : count,
              to = from + each < count ? from + each : count;
    int largest = 0;
    for (int group = from; group < to; ++group) largest = end_of(ends[group], largest);
    const auto [begin, last_end] = scan(shared.of_warps[0], largest, larger{});

    int tiles = 0, wrong = 0;
    for (int group = from, before = begin; group < to; ++group) {
      const int end = end_of(ends[group], before);
      tiles += tiles_in(end - before);
      wrong += ends[group] != end ? 1 : 0;
      before = end;
    }
    const auto [first, all_tiles] = scan(shared.of_warps[1], tiles, plus{});
    if (blockIdx.x == 0) {
      const int all_wrong = scan(shared.of_warps[2], wrong, plus{}).all;
      if (thread == 0) write_all(all_tiles, all_wrong, last_end);
    }

    const int own = threads / 32, first_own = static_cast<int>(blockIdx.x) * own;
    for (int group = from, before = begin, next = first; group < to; ++group) {
      const int end = end_of(ends[group], before);
      const found here{end, end - before, tiles_in(end - before), next};
      if (first_own <= group && group - first_own < own) shared.own[group - first_own] = here;
      next += here.tiles;
      before = end;
    }
    __syncthreads();

    const int left = count - first_own, owned = left < own ? left : own;
    if (thread < owned) {
      write_numbered(first_own + thread, shared.own[thread].end, shared.own[thread].first);
      shared.places[thread] = first_own + thread;
    }
    if (sequence == group_sequence::heaviest_first) rank(shared, ends, weights, begin);
    __syncthreads();
    if (thread < owned) {
      write_placed(shared.places[thread], first_own + thread, shared.own[thread].tiles, shared.own[thread].first);
    }
    for (int i = 0; i < owned; ++i) {
      const found here = shared.own[i];
      for (int tile = thread; tile < here.tiles; tile += threads) group_at[here.first + tile] = shared.places[i];
    }
  }
#endif

#if !defined(__CUDACC_RTC__)
  void on_host(const int* ends, const int* weights) const {
    std::vector<int> tiles, in_sequence(static_cast<unsigned>(space.count_));
    std::vector<word64> weight;
    int all_tiles = 0, end = 0, wrong = 0;
    for (int group = 0; group < space.count_; ++group) {
      const int begin = end;
      end = end_of(ends[group], begin);
      tiles.push_back(tiles_in(end - begin));
      weight.push_back(sequence == group_sequence::heaviest_first ? weight_of(group, end - begin, weights) : 0);
      wrong += ends[group] != end ? 1 : 0;
      write_numbered(group, end, all_tiles);
      all_tiles += tiles.back();
    }
    write_all(all_tiles, wrong, end);

    std::iota(in_sequence.begin(), in_sequence.end(), 0);
    std::stable_sort(in_sequence.begin(), in_sequence.end(),
                     [&](int a, int b) { return weight[static_cast<unsigned>(a)] > weight[static_cast<unsigned>(b)]; });
    int place = 0, first = 0;
    for (const int group : in_sequence) {
      const int here = tiles[static_cast<unsigned>(group)];
      write_placed(place, group, here, first);
      std::fill_n(group_at + first, here, place++);
      first += here;
    }
  }
#endif

 private:
  /// Returns where a group ends that begins at `begin`: there, if its end is wrong.
  HEDDLE_FN int end_of(int asked, int begin) const {
    return begin <= asked && asked <= rows ? asked : begin;
  }

  HEDDLE_FN int tiles_in(int some_rows) const {
    return some_rows / tile_rows + (some_rows % tile_rows > 0 ? 1 : 0);
  }

  HEDDLE_FN static word64 weight_of(int group, int rows_of_group, const int* weights) {
    const int weight = weights == nullptr ? 1 : weights[group];
    return word64{static_cast<unsigned>(rows_of_group)} * static_cast<unsigned>(weight > 0 ? weight : 0);
  }

  HEDDLE_FN void write_all(int row_tiles, int wrong, int last_end) const {
    space.bounds_[0] = 0;
    space.first_[space.count_] = row_tiles;
    *space.prepared_ = {row_tiles * grid.cols, row_tiles, wrong, last_end};
  }
  HEDDLE_FN void write_numbered(int group, int end, int first) const {
    space.bounds_[group + 1] = end;
    space.first_[group] = first;
  }
  HEDDLE_FN void write_placed(int place, int group, int tiles, int first) const {
    extent of_group = grid;
    of_group.rows = tiles;
    space.places_[group] = place;
    records[place] = {bands(of_group, width, along), group, first};
  }

#if defined(__CUDACC__)
  struct plus {
    HEDDLE_DEVICE int operator()(int a, int b) const { return a + b; }
  };
  struct larger {
    HEDDLE_DEVICE int operator()(int a, int b) const { return a > b ? a : b; }
  };

  /// The values of the threads before this one, and of all threads of the block.
  struct combined {
    int before, all;
  };

  /// Combines the values of the block's threads, which are at least 0. It has one barrier; each call of a kernel needs
  /// `of_warps` of its own.
  template <class Op>
  HEDDLE_DEVICE static combined scan(int (&of_warps)[32], int value, Op op) {
    const auto in_warp = [&](int from) {
#pragma unroll
      for (unsigned step = 1; step < 32; step *= 2) {
        const int before = __shfl_up_sync(warp::all, from, step);
        if (warp::lane() >= step) from = op(before, from);
      }
      return from;
    };
    const unsigned lane = warp::lane(), number = threadIdx.x / 32;
    value = in_warp(value);
    if (lane == 31) of_warps[number] = value;
    const int lanes_before = __shfl_up_sync(warp::all, value, 1);
    __syncthreads();
    const int warps = in_warp(lane < blockDim.x / 32 ? of_warps[lane] : 0);
    const int warps_before = __shfl_sync(warp::all, warps, static_cast<int>(number + 31) % 32);
    const int all = __shfl_sync(warp::all, warps, 31);
    return {op(number > 0 ? warps_before : 0, lane > 0 ? lanes_before : 0), all};
  }

  HEDDLE_DEVICE int groups_per_thread() const {
    return space.count_ > 0 ? (space.count_ - 1) / static_cast<int>(blockDim.x) + 1 : 0;
  }

  /// Finds the place of each of the block's groups if heavier ones come first, and the tiles before it. A warp compares
  /// its group with all others.
  HEDDLE_DEVICE void rank(storage& shared, const int* ends, const int* weights, int begin) const {
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x), count = space.count_;
    const int each = groups_per_thread(), mine = static_cast<int>(blockIdx.x) * (threads / 32) + thread / 32;
    const word64 weight = mine < count ? weight_of(mine, shared.own[thread / 32].rows, weights) : 0;
    int place = 0, first = 0;
    for (int turn = 0; turn < each; ++turn) {
      const int group = thread * each + turn, end = group < count ? end_of(ends[group], begin) : begin;
      shared.weights[thread] = group < count ? weight_of(group, end - begin, weights) : 0;
      shared.tiles[thread] = tiles_in(end - begin);
      begin = end;
      __syncthreads();
      for (int i = thread % 32; i < threads; i += 32) {
        const bool is_before = shared.weights[i] > weight || (shared.weights[i] == weight && i * each + turn < mine);
        place += is_before ? 1 : 0;
        first += is_before ? shared.tiles[i] : 0;
      }
      __syncthreads();
    }
    place = warp::inclusive_sum(place);
    first = warp::inclusive_sum(first);
    if (thread % 32 == 31 && mine < count) {
      shared.places[thread / 32] = place;
      shared.own[thread / 32].first = first;
    }
  }
#endif
};

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
template <class Preparation>
__global__ void __launch_bounds__(Preparation::most_threads)
    prepare(const __grid_constant__ Preparation preparation, const int* ends, const int* weights) {
  __shared__ typename Preparation::storage smem;
  preparation.in_block(smem, ends, weights);
}
#endif

}  // namespace heddle::inline HEDDLE_ABI::detail::order

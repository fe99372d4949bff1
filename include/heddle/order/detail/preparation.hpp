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

/// Writes the state of a `grouped` order from where the rows of groups lie: in the blocks of a kernel, or on the host.
struct preparation {
  groups space;
  group_record* records;  // by place
  int* group_at;          // of each tile of one column, in the order: the place of its group
  bands walk;             // of a group with all tiles
  group_sequence sequence;
  int rows;
  fast_div tile_rows;

  /// What is found of one group: its rows, and its tiles of one column and those before them.
  struct found {
    int begin, rows, tiles, first;
  };

#if defined(__CUDACC__)
  static constexpr unsigned most_threads = 1024;
  static constexpr int most_own = 128;

  struct storage {
    int of_warps[4][32];
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
  HEDDLE_DEVICE void in_block(storage& shared, const auto& of, const auto& weights) const {
    const int count = space.count_, threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
    const int lane = thread % 32, number = thread / 32, strip = strip_of_warp();
    const int from = number * strip, to = from + strip < count ? from + strip : count;
    const int own = count > 0 ? (count - 1) / static_cast<int>(gridDim.x) + 1 : 0;
    const int first_own = static_cast<int>(blockIdx.x) * own, left = count - first_own, owned = left < own ? left : own;
    check(own <= most_own && own <= threads, "heddle::grouped: too few blocks or threads prepare");

    unsigned reach = 0;
#pragma unroll 1
    for (int group = from + lane; group < to; group += 32) reach = join(of, reach, asked(of, group));
    reach = join_lanes(of, reach);
    if (lane == 0) shared.of_warps[0][number] = static_cast<int>(reach);
    __syncthreads();
    const unsigned begin = join_lanes(of, lane < number ? static_cast<unsigned>(shared.of_warps[0][lane]) : 0);

    int tiles = 0, wrong = 0, rows_of_lane = 0;  // tiles of the warp
    unsigned end = begin;
#pragma unroll 1
    for (int at = from; at < to; at += 32) {
      const int group = at + lane, mine = group - first_own;
      found here = look(of, group, to, end);
      const int up_to_here = warp::inclusive_sum(here.tiles);
      here.first = tiles + up_to_here - here.tiles;  // within the strip
      if (group < to && 0 <= mine && mine < owned) shared.own[mine] = here;
      tiles += __shfl_sync(warp::all, up_to_here, 31);
      wrong += group < to && is_wrong(of, group, here) ? 1 : 0;
      rows_of_lane += here.rows;
    }
    const int of_warp[] = {tiles, warp::sum(wrong), warp::sum(rows_of_lane)};
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      if (lane == 0) shared.of_warps[1 + i][number] = of_warp[i];
    }
    __syncthreads();
    const int before = warp::sum(lane < number ? shared.of_warps[1][lane] : 0);
    const int end_here = to < first_own + owned ? to : first_own + owned;
#pragma unroll 1
    for (int group = (from > first_own ? from : first_own) + lane; group < end_here; group += 32) {
      found& here = shared.own[group - first_own];
      here.first += before;
      shared.places[group - first_own] = group;
      write_numbered(of, group, here);
    }
    if (blockIdx.x == 0 && number == 0) {
      const auto all = [&](int what) { return warp::sum(lane < threads / 32 ? shared.of_warps[what][lane] : 0); };
      const int all_tiles = all(1), all_wrong = all(2), all_rows = all(3);
      if (lane == 0) write_all(all_tiles, all_wrong, all_rows);
    }
    __syncthreads();
    if (sequence != group_sequence::as_numbered) rank(shared, of, weights, first_own, owned, begin);
    if (thread < owned) {
      write_placed(shared.places[thread], first_own + thread, shared.own[thread].tiles, shared.own[thread].first);
    }
    fill(shared, owned);
  }
#endif

#if !defined(__CUDACC_RTC__)
  void on_host(const auto& of, const auto& weights) const {
    heaviest_first<word64> in_sequence(space.count_);
    int tiles = 0, wrong = 0, all_rows = 0;
    unsigned end = 0;
    for (int group = 0; group < space.count_; ++group) {
      const unsigned before = end;
      end = join(of, before, asked(of, group));
      const found here = between(before, end, tiles);
      in_sequence[group] = {weight_of(group, here.rows, weights), group};
      wrong += is_wrong(of, group, here) ? 1 : 0;
      write_numbered(of, group, here);
      tiles += here.tiles;
      all_rows += here.rows;
    }
    write_all(tiles, wrong, all_rows);

    if (sequence != group_sequence::as_numbered) in_sequence.sort(0, space.count_);
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
  /// Returns the number of a group, an end or a length, and 0 for one that cannot be right.
  HEDDLE_FN unsigned asked(const auto& of, int group) const {
    const long long number = of.number(group), begin = of.begin(group, 0);
    const bool can_be = 0 <= number && number <= rows && 0 <= begin && begin <= 0x7fffffff - number;
    return can_be ? static_cast<unsigned>(number) : 0;
  }

  /// Returns how far groups reach together: the larger end, or the sum of lengths, in which all that is past the
  /// declared rows is one more than these.
  HEDDLE_FN unsigned join(const auto& of, unsigned a, unsigned b) const {
    if (!of.are_lengths) return a > b ? a : b;
    const unsigned left = static_cast<unsigned>(rows) + 1 - a;
    return a + (b < left ? b : left);
  }

  /// Returns a group that reaches from one end to the next: an empty one if that is past the declared rows.
  HEDDLE_FN found between(unsigned before, unsigned end, int first) const {
    const auto most = static_cast<unsigned>(rows);
    const int own_rows = end > most ? 0 : static_cast<int>(end - before);
    return {static_cast<int>(before > most ? most : before), own_rows, tiles_in(own_rows), first};
  }

  HEDDLE_FN static bool is_wrong(const auto& of, int group, found here) {
    return of.number(group) != here.rows + (of.are_lengths ? 0 : here.begin);
  }

  HEDDLE_FN int tiles_in(int some_rows) const {
    const auto [whole, left] = tile_rows(some_rows);
    return whole + (left > 0 ? 1 : 0);
  }

  /// Weights below 0 count as 0, and those above 2^32 - 1 as this.
  HEDDLE_FN static word64 weight_of(int group, int rows_of_group, const auto& weights) {
    const long long each = weights.numbers == nullptr ? 1 : weights.number(group);
    return static_cast<unsigned>(rows_of_group) * word64{each < 0     ? 0u
                                                         : each < ~0u ? static_cast<unsigned>(each)
                                                                      : ~0u};
  }

  HEDDLE_FN void write_all(int row_tiles, int wrong, int all_rows) const {
    space.first_[space.count_] = row_tiles;
    *space.prepared_ = {row_tiles * space.columns_, row_tiles, wrong, all_rows};
  }
  HEDDLE_FN void write_numbered(const auto& of, int group, found here) const {
    const int begin = here.rows > 0 ? static_cast<int>(of.begin(group, here.begin)) : here.begin;
    space.rows_[group] = {begin, begin + here.rows};
    space.first_[group] = here.first;
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

  HEDDLE_DEVICE unsigned join_lanes(const auto& of, unsigned reach) const {
    int step = of.are_lengths ? 32 : 0;
    while ((step /= 2) > 0) reach = join(of, reach, __shfl_xor_sync(warp::all, reach, step));
    return of.are_lengths ? reach : static_cast<unsigned>(warp::sum</*IsLargest*/ true>(static_cast<int>(reach)));
  }

  /// Looks at the group of each lane. The first one begins at `end`, which becomes the end of the last one. A group
  /// reaches as far as all up to its own together.
  HEDDLE_DEVICE found look(const auto& of, int group, int to, unsigned& end) const {
    unsigned own_end = group < to ? asked(of, group) : 0;
#pragma unroll 1
    for (unsigned step = 1; step < 32; step *= 2) {
      const unsigned before = __shfl_up_sync(warp::all, own_end, step);
      if (!of.are_lengths || warp::lane() >= step) own_end = join(of, own_end, before);
    }
    own_end = join(of, end, own_end);
    const unsigned before = __shfl_up_sync(warp::all, own_end, 1), own_begin = warp::lane() > 0 ? before : end;
    end = __shfl_sync(warp::all, own_end, 31);
    return between(own_begin, own_end, 0);
  }

  /// Finds the place of each of the block's groups by weight, and the tiles before it. A warp compares one of them with
  /// all others, and counts heavier ones from the beginning, or from the end.
  HEDDLE_DEVICE void rank(storage& shared, const auto& of, const auto& weights, int first_own, int owned,
                          unsigned begin) const {
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
      const found here = look(of, group, count, begin);
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
template <class Rows, class Weights>
__global__ void __launch_bounds__(preparation::most_threads)
    prepare(const __grid_constant__ preparation plan, Rows of, Weights weights) {
  __shared__ preparation::storage smem;
  plan.in_block(smem, of, weights);
}
#endif

}}}  // namespace heddle::HEDDLE_ABI::detail::order

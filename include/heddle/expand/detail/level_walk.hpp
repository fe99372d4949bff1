#pragma once

#include <heddle/detail/check.hpp>
#include <heddle/expand/detail/block_sum.hpp>
#include <heddle/expand/detail/packed_counter.hpp>

// One level of `levels`, as a warp sees it: a list of sources and a list for the next level.

namespace heddle::inline HEDDLE_ABI::detail::expand {

/// A source and its number of items.
struct alignas(8) level_source {
  unsigned source, n;
};

/// A source in a list, and the number of items before its own.
struct alignas(8) level_entry {
  unsigned source, begin;
};

#if defined(__CUDACC__)

/// Adds sources to a list, 32 at a time, with one atomic addition. A warp owns it, in registers; `kept` is shared
/// memory for 64 sources of that warp. All lanes call each member together.
class level_writer {
 public:
  static constexpr unsigned room = 64;

  HEDDLE_DEVICE level_writer(level_source* kept, level_entry* to, packed_totals& totals, const packed_counter& counter)
      : kept_(kept), to_(to), totals_(totals), counter_(counter) {}

  /// Adds one source per lane; n may be 0.
  HEDDLE_DEVICE void add(level_source each) {
    const unsigned spawning = __ballot_sync(warp::all, each.n > 0);
    if (spawning == 0) return;
    if (each.n > 0) kept_[count_ + static_cast<unsigned>(__popc(spawning & ptx::lanemask_lt()))] = each;
    count_ += static_cast<unsigned>(__popc(spawning));
    __syncwarp();
    if (count_ >= 32) write(32);
  }
  /// Writes those that are left. Every level ends with it.
  HEDDLE_DEVICE void finish() {
    if (count_ > 0) write(count_);
  }

 private:
  /// Writes the last `count` sources. Those of a level that has no room are only counted.
  HEDDLE_DEVICE void write(unsigned count) {
    count_ -= count;
    level_source mine{0, 0};
    if (warp::lane() < count) mine = kept_[count_ + warp::lane()];
    const pushed sums(mine.n);
    word64 taken = 0;
    if (warp::lane() == 31) taken = counter_.take(totals_, sums.all, 32);
    taken = __shfl_sync(warp::all, taken, 31);
    const live all{__shfl_sync(warp::all, sums.all.word, 31)};
    if (mine.n == 0 || !counter_.has_room(taken, all)) return;
    const auto [source, item] = counter_.position_of(taken);
    to_[source + sums.sources_before] = {mine.source, item + static_cast<unsigned>(sums.items_before)};
  }

  level_source* kept_;
  level_entry* to_;
  packed_totals& totals_;
  const packed_counter& counter_;
  unsigned count_ = 0;
};

/// Walks the share of one warp of `warps`: some runs of equal length of the items of a level.
struct level_reader {
  static constexpr unsigned most_in_run = 1024;  // items: enough to hide the search for its first source

  const level_entry* from;
  unsigned sources, items;

  /// Calls `visit(source, rank)` for each item of the share, and `next(result)` in all lanes after each row of 32.
  template <class Visit, class Next>
  HEDDLE_DEVICE void walk(unsigned number, unsigned warps, Visit visit, Next next) const {
    const unsigned of_warp = (items - 1) / warps + 1, rounds = (of_warp - 1) / most_in_run + 1;
    const unsigned run = of_warp < 32 ? 32 : (of_warp - 1) / rounds + 1;
    for (word64 first = word64{run} * number; first < items; first += word64{run} * warps) {
      const auto begin = static_cast<unsigned>(first);
      walk_run(begin, items - begin < run ? items : begin + run, visit, next);
    }
  }

 private:
  /// Each lane has one of 32 entries that follow one another; the last one only ends the others.
  template <class Visit, class Next>
  HEDDLE_DEVICE void walk_run(unsigned begin, unsigned end, Visit visit, Next next) const {
    for (unsigned first = source_of(begin); begin < end; first += 31) {
      const unsigned at = first + warp::lane();
      const level_entry mine = at < sources ? ptx::ld_cg(&from[at]) : level_entry{0, items};
      const unsigned last = __shfl_sync(warp::all, mine.begin, 31), until = last < end ? last : end;
      for (; begin < until; begin += 32) {
        const unsigned ahead = mine.begin - begin;  // of those that begin in this row behind its first item
        const unsigned marks = ptx::redux_sync_or(warp::all, ahead - 1 < 31 && mine.begin > begin ? 1u << ahead : 0u);
        const unsigned before = static_cast<unsigned>(__popc(__ballot_sync(warp::all, mine.begin <= begin)));
        const unsigned up_to_here = marks & (ptx::lanemask_lt() * 2 + 1);
        const auto owner = static_cast<int>(before - 1) + __popc(up_to_here);
        const unsigned source = __shfl_sync(warp::all, mine.source, owner);
        const unsigned its_begin = __shfl_sync(warp::all, mine.begin, owner);
        level_source spawned{0, 0};
        const unsigned item = begin + warp::lane();
        if (warp::lane() < until - begin) spawned = visit(source, item - its_begin);
        __syncwarp();
        next(spawned);
      }
      begin = until;
    }
  }

  /// Returns the index of the source that has an item: 32 ways at a time, of which one remains.
  HEDDLE_DEVICE unsigned source_of(unsigned item) const {
    unsigned first = 0, count = sources;
    while (count > 31) {
      const unsigned step = (count - 1) / 32 + 1, at = first + warp::lane() * step;
      const bool before = warp::lane() * step < count && ptx::ld_cg(&from[at]).begin <= item;
      const auto ways = static_cast<unsigned>(__popc(__ballot_sync(warp::all, before)));
      count = count - (ways - 1) * step < step ? count - (ways - 1) * step : step;
      first += (ways - 1) * step;
    }
    return first;
  }
};

#endif

}  // namespace heddle::inline HEDDLE_ABI::detail::expand

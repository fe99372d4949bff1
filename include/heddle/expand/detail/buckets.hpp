#pragma once

#include <heddle/detail/range_for.hpp>
#include <heddle/expand/detail/block_sum.hpp>
#include <heddle/expand/detail/listed_sources.hpp>
#include <heddle/expand/detail/packed_counter.hpp>

// Buckets of runs: an entry of bucket b is a run of 2^b items of one source.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

inline constexpr int bucket_count = 32;  // one per bit of n

/// Shared memory for the sums of a block, in all and per bucket.
struct bucket_sums {
  block_sums all;
  bool whole;                          // all that the block pushes has room
  unsigned first[bucket_count];        // place of the block's first run in each bucket
  unsigned bits[32];                   // per warp: the buckets for which it has runs, as bits
  unsigned of_warp[32][bucket_count];  // per warp and bucket: how many; after take_all, how many the warps before have

#if defined(__CUDACC__)
  /// Counts the runs of this warp for each bucket. All lanes of the warp call it together.
  template <class Word>  // unsigned; as a template it is compiled only if it is used
  HEDDLE_DEVICE void count(Word n) {
    const unsigned warp = warp::thread() / 32, any = ptx::redux_sync_or(warp::all, n);
    __syncwarp();  // other lanes may still read these words for the push before
    if (warp::lane() == 0) bits[warp] = any;
    for (unsigned left = any; left != 0; left &= left - 1) {
      const int bucket = __ffs(static_cast<int>(left)) - 1;
      const auto lanes = static_cast<unsigned>(__popc(__ballot_sync(warp::all, (n >> bucket & 1) != 0)));
      if (warp::lane() == 0) of_warp[warp][bucket] = lanes;
    }
  }

  /// Takes the entries of the whole block. The first warp calls it when all warps have counted. `take(bucket, entries)`
  /// returns the place of the first of them.
  template <class Take>
  HEDDLE_DEVICE void take_all(Take take) {
    const unsigned threads = warp::threads_in_block(), lanes = threads < 32 ? threads : 32;
    for (unsigned bucket = warp::lane(); bucket < bucket_count; bucket += lanes) {
      unsigned sum = 0;
      for (unsigned warp = 0; warp * 32 < threads; ++warp) {
        if ((bits[warp] >> bucket & 1) == 0) continue;
        const unsigned its = of_warp[warp][bucket];
        of_warp[warp][bucket] = sum;
        sum += its;
      }
      if (sum > 0) first[bucket] = take(bucket, sum);
    }
  }
#endif
};

/// The counters of one turn.
struct alignas(16) bucket_totals {
  packed_totals all;
  unsigned entries[bucket_count];  // runs in each bucket, of sources that found room
};

/// Returns the most entries that a bucket can have. A source has at most one in it.
HEDDLE_FN word64 room_of_bucket(expansion capacity, int bucket) {
  const word64 runs = capacity.items >> bucket;
  return runs < capacity.sources ? runs : capacity.sources;
}

/// Returns the rank at which a source's run in a bucket begins: the runs of the higher bits of n come before it.
HEDDLE_FN unsigned rank_of_run(unsigned n, int bucket) {
  return n & (~1u << bucket);
}

/// An entry: the source of a run, and the rank of its first item.
struct alignas(8) run {
  unsigned source, rank;
};

#if defined(__CUDACC__)

/// Walks the items of all buckets, the longest runs first. A bucket then begins at a multiple of its run length, and
/// runs of 32 and more at a multiple of 32. By thread, each warp takes rows of 32 items in turns; by warp or by block,
/// each of them takes single items.
///
///   two runs of 8, one of 2, three of 1     slots   0 to 7, 8 to 15 | 16 to 17 | 18, 19, 20
///
/// Lane l keeps bucket 31 - l. One vote says in which bucket a row is, and a shift in which run. The entry of an item
/// is loaded one turn ahead.
template <granularity Granularity>
class bucket_cursor : public as_range<bucket_cursor<Granularity>, item> {
  static constexpr bool by_thread = Granularity == granularity::thread;

 public:
  HEDDLE_DEVICE bucket_cursor(const run* all, const bucket_totals& totals, const unsigned (&begins)[bucket_count])
      : all_(all),
        turn_(unit<Granularity>::count_of_warps() * (by_thread ? 32 : 1)),
        row_(unit<Granularity>::number_of_warp() * (by_thread ? 32 : 1)) {
    const unsigned bucket = bucket_count - 1 - warp::lane(), items = totals.entries[bucket] << bucket;
    end_ = warp::inclusive_sum(items);
    less_ = begins[bucket] - ((end_ - items) >> bucket);
    count_ = __shfl_sync(warp::all, end_, 31);
    if (row_ > count_) row_ = count_;
    found_ = find(row_);
    arrive();
  }
  bucket_cursor(const bucket_cursor&) = delete;

  HEDDLE_DEVICE explicit operator bool() const { return slot() < count_; }
  HEDDLE_DEVICE item operator*() const { return item_; }

  /// Returns the number of the item among all items: unique, from 0 without gaps.
  HEDDLE_DEVICE unsigned slot() const { return slot_of(row_); }

  HEDDLE_DEVICE bucket_cursor& operator++() {
    row_ = after(row_);
    arrive();
    return *this;
  }

 private:
  struct run_in_bucket {
    run its;
    int bucket;
  };

  /// Uses what was loaded for this turn's row, and starts the load for the next one.
  HEDDLE_DEVICE void arrive() {
    const unsigned in_run = slot() & ((1u << found_.bucket) - 1);
    item_ = {found_.its.source, found_.its.rank + in_run};
    found_ = find(after(row_));
  }

  HEDDLE_DEVICE run_in_bucket find(unsigned row) const {
    if (row >= count_) return {};
    const unsigned slot = slot_of(row);
    int passed = __popc(__ballot_sync(warp::all, end_ <= row));
    if (by_thread && __shfl_sync(warp::all, end_, passed) - row < 32) {  // few rows: a bucket ends within this one
#pragma unroll 1
      for (int next = passed; next < bucket_count - 1; ++next) {
        const unsigned end = __shfl_sync(warp::all, end_, next);
        if (end <= slot) passed = next + 1;
      }
    }
    const unsigned less = __shfl_sync(warp::all, less_, passed);
    const int bucket = bucket_count - 1 - passed;
    if (slot >= count_) return {};
    return {all_[(slot >> bucket) + less], bucket};
  }

  HEDDLE_DEVICE static unsigned slot_of(unsigned row) {
    return by_thread ? row + warp::lane() : row;
  }

  HEDDLE_DEVICE unsigned after(unsigned row) const {
    return row < count_ && count_ - row > turn_ ? row + turn_ : count_;
  }

  const run* all_;
  // turn_: items from one row of this unit to its next; row_: the first item of this row; end_: the end of this lane's
  // bucket; less_: what slot >> bucket lacks to the number of the entry; count_: items in all buckets.
  unsigned turn_, row_, end_, less_, count_;
  item item_{0, 0};
  run_in_bucket found_;  // for the next row
};

#endif

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

#pragma once

#include <heddle/detail/range_for.hpp>
#include <heddle/expand/detail/bucket_sums.hpp>
#include <heddle/expand/detail/listed_sources.hpp>
#include <heddle/expand/detail/packed_counter.hpp>

// Buckets of runs: an entry of bucket b is a run of 2^b items of one source.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

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

/// The entries of all buckets, in memory. Ranked: an entry has the source and the rank at which its run begins. Not
/// ranked: it points to the source and its n, from which the rank follows.
template <bool Ranked>
class runs {
 public:
  struct alignas(8) run {
    unsigned source, rank;
  };
  using answer = run;

  HEDDLE_FN static word64 bytes(expansion, word64 entries) { return sizeof(run) * entries; }

#if defined(__CUDACC__)
  HEDDLE_DEVICE runs(void* memory, expansion) : entries_(static_cast<run*>(memory)) {}

  HEDDLE_DEVICE run& operator[](unsigned place) const {
    return entries_[place];
  }

  /// Enters the source that has number `index` in the list, and returns what its entries store of it.
  HEDDLE_DEVICE unsigned enter(unsigned, unsigned source, unsigned) const {
    return source;
  }
  HEDDLE_DEVICE static run run_of(unsigned entered, unsigned n, int bucket) {
    return {entered, rank_of_run(n, bucket)};
  }

  HEDDLE_DEVICE answer follow(run of) const {
    return of;
  }
  HEDDLE_DEVICE static unsigned rank(answer of, int) {
    return of.rank;
  }

 private:
  run* entries_;
#endif
};

template <>
class runs<false> {
 public:
  struct run {
    unsigned index;
  };
  using answer = spawner;

  HEDDLE_FN static word64 bytes(expansion capacity, word64 entries) {
    return sizeof(spawner) * capacity.sources + sizeof(run) * entries;
  }

#if defined(__CUDACC__)
  HEDDLE_DEVICE runs(void* memory, expansion capacity)
      : sources_(static_cast<spawner*>(memory)), entries_(reinterpret_cast<run*>(sources_ + capacity.sources)) {}

  HEDDLE_DEVICE run& operator[](unsigned place) const {
    return entries_[place];
  }

  HEDDLE_DEVICE unsigned enter(unsigned index, unsigned source, unsigned n) const {
    sources_[index] = {source, n};
    return index;
  }
  HEDDLE_DEVICE static run run_of(unsigned entered, unsigned, int) {
    return {entered};
  }

  HEDDLE_DEVICE answer follow(run of) const {
    return sources_[of.index];
  }
  HEDDLE_DEVICE static unsigned rank(answer of, int bucket) {
    return rank_of_run(of.n, bucket);
  }

 private:
  spawner* sources_;
  run* entries_;
#endif
};

#if defined(__CUDACC__)

/// Walks the items of all buckets, the longest runs first. A bucket then begins at a multiple of its run length, and
/// runs of 32 and more at a multiple of 32. By thread, each warp takes rows of 32 items in turns; by warp or by block,
/// each of them takes single items.
///
///   two runs of 8, one of 2, three of 1     slots   0 to 7, 8 to 15 | 16 to 17 | 18, 19, 20
///
/// Lane l keeps bucket 31 - l. One vote says in which bucket a row is, and a shift in which run. The entry of an item
/// is loaded one turn ahead; if it only points to the source, it is loaded two turns ahead, and the source one.
template <bool Ranked, granularity Granularity>
class bucket_cursor : public as_range<bucket_cursor<Ranked, Granularity>, item> {
  using entries = runs<Ranked>;
  static constexpr bool by_thread = Granularity == granularity::thread;

 public:
  HEDDLE_DEVICE bucket_cursor(entries all, const bucket_totals& totals, const unsigned (&begins)[bucket_count])
      : all_(all),
        turn_(unit<Granularity>::count_of_warps() * (by_thread ? 32 : 1)),
        row_(unit<Granularity>::number_of_warp() * (by_thread ? 32 : 1)) {
    const unsigned bucket = bucket_count - 1 - warp::lane(), items = totals.entries[bucket] << bucket;
    end_ = warp::inclusive_sum(items);
    less_ = begins[bucket] - ((end_ - items) >> bucket);
    count_ = __shfl_sync(warp::all, end_, 31);
    if (row_ > count_) row_ = count_;
    found_ = follow(row_, ask(row_));
    if constexpr (!Ranked) asked_ = ask(after(row_));
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
  template <class What>
  struct in_bucket {
    What what;
    int bucket;
  };
  using run = in_bucket<typename entries::run>;
  using answer = in_bucket<typename entries::answer>;

  /// Uses what was loaded for this turn's row, and starts the loads for the next ones.
  HEDDLE_DEVICE void arrive() {
    const unsigned in_run = slot() & ((1u << found_.bucket) - 1), next = after(row_);
    item_ = {found_.what.source, entries::rank(found_.what, found_.bucket) + in_run};
    if constexpr (Ranked) {
      found_ = ask(next);
    } else {
      found_ = follow(next, asked_);
      asked_ = ask(after(next));
    }
  }

  HEDDLE_DEVICE answer follow(unsigned row, run asked) const {
    if (slot_of(row) >= count_) return {};
    return {all_.follow(asked.what), asked.bucket};
  }

  HEDDLE_DEVICE run ask(unsigned row) const {
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

  entries all_;
  // turn_: items from one row of this unit to its next; row_: the first item of this row; end_: the end of this lane's
  // bucket; less_: what slot >> bucket lacks to the number of the entry; count_: items in all buckets.
  unsigned turn_, row_, end_, less_, count_;
  item item_{0, 0};
  answer found_;  // for the next row
  run asked_{};   // not ranked: for the row after the next
};

#endif

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

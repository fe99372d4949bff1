#pragma once

#include <heddle/expand/detail/block_sum.hpp>
#include <heddle/expand/detail/item_shares.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

/// The counters of one turn.
struct alignas(16) slab_totals {
  word64 top[32];          // items of the slabs with room: each sum is of as many slabs as make 32 sums enough
  word64 refused_items;    // items without a place
  unsigned blocks, pitch;  // of the first pass: blocks, each with one slab, and places per slab
  unsigned largest;        // most items of a slab
  unsigned in_two_words;   // 1 if the entries of some slab have two words
};

/// The sources and items of a slab, and the form of its entries.
struct alignas(16) slab {
  live all;
  entry_form form;
};

/// Entries in slabs: each block of the first pass fills a slab of its own from its start, without knowing what other
/// blocks have. A tree of sums is above the slabs: sums of the items of 32 slabs each, of 32 such sums, and so on. In
/// the second pass a search goes down this tree.
///
/// The memory behind the totals of a state has the sums, which begin at zero, then the slabs, then the entries.
class slabs {
  static constexpr int levels = 4;  // sums of 32^3, of 32^2 and of 32 slabs, and the slabs; the totals are above these

 public:
  static constexpr long long most = 32LL << 5 * (levels + 1);  // the most places

  HEDDLE_HOST slabs(word64* state, word64 sources) : state_(state), at_{} {
    static_cast<void>(state_);  // used in kernels alone; g++ 11 warns of an attribute here
    word64 count[levels]{};
    count[levels - 1] = sums_of(sources);
    for (int level = levels - 2; level >= 0; --level) count[level] = sums_of(count[level + 1]);
    at_[0] = sizeof(slab_totals) / sizeof(word64);
    for (int level = 0; level < levels - 1; ++level) at_[level + 1] = at_[level] + count[level];
    at_[levels - 1] += at_[levels - 1] % 2;  // slabs are two words each
    at_[levels] = at_[levels - 1] + 2 * count[levels - 1];
  }

  /// Returns the bytes that begin at zero: the totals and the sums.
  HEDDLE_FN static word64 bytes_to_clear(word64 sources) {
    word64 all = 0, count = sums_of(sources);
    for (int level = levels - 2; level >= 0; --level) all += count = sums_of(count);
    return sizeof(slab_totals) + sizeof(word64) * (all + all % 2);
  }
  /// Returns the bytes of the whole state.
  HEDDLE_FN static word64 bytes(word64 sources) {
    return bytes_to_clear(sources) + sizeof(slab) * sums_of(sources) + sizeof(entry) * sources;
  }

#if defined(__CUDACC__)
  /// Returns the entries of the slab that begins at place `first`.
  HEDDLE_DEVICE unsigned* entries(word64 first) const {
    return reinterpret_cast<unsigned*>(state_ + at_[levels] + first);
  }

  HEDDLE_DEVICE slab of(unsigned number) const {
    return reinterpret_cast<const slab*>(state_ + at_[levels - 1])[number];
  }

  /// Records what is in a slab, and adds its items to the sums above it. One thread of the block calls it.
  HEDDLE_DEVICE void add(unsigned number, unsigned blocks, slab what) const {
    reinterpret_cast<slab*>(state_ + at_[levels - 1])[number] = what;
    const word64 items = what.all.items();
    if (items == 0) return;
    const int first = first_level(blocks);
    for (int level = levels - 2; level >= first; --level) atomicAdd(state_ + at_[level] + (number /= 32), items);
    atomicAdd(state_ + number / 32, items);
  }

  /// Returns the items of all slabs. All lanes of the warp call it together.
  HEDDLE_DEVICE word64 items() const {
    return sum(state_[warp::lane()]);
  }

  /// Returns the items of the slabs before slab `number`. All lanes of the warp call it together.
  HEDDLE_DEVICE word64 items_before(unsigned blocks, unsigned number) const {
    const int first = first_level(blocks);
    word64 items = 0;
#pragma unroll
    for (int level = levels - 1; level >= -1; --level, number /= 32) {
      if (level < first - 1 || warp::lane() >= number % 32) continue;
      const unsigned at = number / 32 * 32 + warp::lane();
      items += level == levels - 1 ? of(at).all.items() : sum_at(level, first, at);
    }
    return sum(items);
  }

  /// Returns the slab in which a border lies, and the number of items before that slab. There are `blocks` slabs, of
  /// `pitch` places each, and `filled` of them have room. All lanes of the warp call it together.
  struct found_slab {
    unsigned slab;
    word64 begin;
  };
  template <class Price>
  HEDDLE_DEVICE found_slab find_slab(unsigned blocks, unsigned filled, unsigned pitch, unsigned target) const {
    found_slab found{0, 0};
    const int first = first_level(blocks);
#pragma unroll 1
    for (int level = first - 1; level < levels; ++level) {
      const unsigned at = found.slab * 32 + warp::lane();
      word64 items = 0;
      if (level == levels - 1) {
        if (at < filled) items = of(at).all.items();
      } else if (level < first || at < at_[level + 1] - at_[level]) {
        items = sum_at(level, first, at);
      }
      const word64 through = found.begin + warp::inclusive_sum(items);
      const word64 next_slab = (at + word64{1}) << 5 * (levels - 1 - level);
      const unsigned last_place = (next_slab < filled ? static_cast<unsigned>(next_slab) : filled) * pitch - 1;
      const int child = __popc(__ballot_sync(warp::all, Price::through(clipped(through), last_place) <= target));
      found = {found.slab * 32 + static_cast<unsigned>(child), __shfl_sync(warp::all, through - items, child)};
    }
    return found;
  }

 private:
  HEDDLE_DEVICE static word64 sum(word64 items) {
    return __shfl_sync(warp::all, warp::inclusive_sum(items), 31);
  }

  /// Returns sum `at` of a level. The level above `first` is in the totals.
  HEDDLE_DEVICE word64 sum_at(int level, int first, unsigned at) const {
    return state_[(level < first ? 0 : at_[level]) + at];
  }

  /// Returns the first level below the totals that is in use: few slabs need few levels.
  HEDDLE_DEVICE static int first_level(unsigned blocks) {
    return blocks <= 32 * 32 ? 3 : blocks <= 32 * 32 * 32 ? 2 : blocks <= 32 * 32 * 32 * 32 ? 1 : 0;
  }
#endif

 private:
  /// Returns how many groups of 32 there are: sums, or slabs of at least 32 places.
  HEDDLE_FN static word64 sums_of(word64 count) {
    return (count + 31) / 32;
  }

  word64* state_;
  word64 at_[levels + 1];  // the word at which each level begins, and then the entries
};

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

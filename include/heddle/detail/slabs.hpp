#pragma once

#include <heddle/detail/block_sum.hpp>
#include <heddle/detail/item_walk.hpp>

namespace heddle::inline v0::detail {

/// What is counted of one turn.
struct alignas(16) slab_totals {
  word64 top[32];          // items of all slabs that there was room for, of so many each that 32 sums are enough
  word64 refused_items;    // of the other blocks
  unsigned blocks, pitch;  // of the first pass: a slab for each, of so many places
};

/// Entries in slabs: each block of the first pass fills a slab of its own, from its begin. A word for each slab says
/// how many entries and items it has; above those are sums of 32 slabs each, of 32 of these sums, and so on. So no
/// block needs to know what the others have, and in the second pass a search goes down from the top.
///
/// All of it lies behind the totals of a state: first the sums, which begin at zero, then the words and the entries.
class slabs {
  static constexpr int levels = 4;  // of sums of 32^3, 32^2 and 32 slabs, and the slabs; the totals are above these

 public:
  static constexpr unsigned least = 32;                        // places in a slab
  static constexpr long long most = 32LL << 5 * (levels + 1);  // places in all

  HEDDLE_HOST slabs(word64* state, word64 sources) : state_(state), at_{} {
    word64 count[levels] = {0, 0, 0, sources / least};
    for (int level = levels - 2; level >= 0; --level) count[level] = sums_of(count[level + 1]);
    at_[0] = sizeof(slab_totals) / sizeof(word64);
    for (int level = 0; level < levels; ++level) at_[level + 1] = at_[level] + count[level];
  }

  /// Of what begins at zero, and of everything.
  HEDDLE_FN static word64 bytes_to_clear(word64 sources) {
    word64 all = 0, count = sources / least;
    for (int level = levels - 2; level >= 0; --level) all += count = sums_of(count);
    return sizeof(slab_totals) + sizeof(word64) * all;
  }
  HEDDLE_FN static word64 bytes(word64 sources) {
    return bytes_to_clear(sources) + sizeof(word64) * (sources / least) + sizeof(entry) * sources;
  }

#if defined(__CUDACC__)
  HEDDLE_DEVICE entry* entries() const {
    return reinterpret_cast<entry*>(state_ + at_[levels]);
  }

  /// For one thread of the block that fills the slab, one of `blocks`.
  HEDDLE_DEVICE void add(unsigned slab, unsigned blocks, live all) const {
    state_[at_[levels - 1] + slab] = all.word;
    if (all.items() == 0) return;
    const int first = first_level(blocks);
    for (int level = levels - 2; level >= first; --level) atomicAdd(state_ + at_[level] + (slab /= 32), all.items());
    atomicAdd(state_ + slab / 32, all.items());
  }

  /// For a whole warp: of all slabs.
  HEDDLE_DEVICE word64 items() const {
    return __shfl_sync(warp::all, warp::inclusive_sum(state_[warp::lane()]), 31);
  }

  struct place {
    unsigned slab;
    word64 begin;  // items before the slab
  };

  /// For a whole warp: the slab, of the first `filled` of `blocks`, that has `item`, which there is.
  HEDDLE_DEVICE place find_slab(word64 item, unsigned blocks, unsigned filled) const {
    place found{0, 0};
    descend(found, item, state_[warp::lane()]);
    for (int level = first_level(blocks); level < levels; ++level) {
      const unsigned at = found.slab * 32 + warp::lane();
      if (level < levels - 1) {
        descend(found, item, at < at_[level + 1] - at_[level] ? state_[at_[level] + at] : 0);
      } else {
        descend(found, item, at < filled ? of_slab(at).items() : 0);
      }
    }
    return found;
  }

  /// The entries from one on, 32 at a time, for a whole warp.
  class reader {
   public:
    HEDDLE_DEVICE reader(const slabs& all, unsigned blocks, unsigned filled, unsigned pitch, unsigned begin,
                         unsigned end)
        : all_(&all), blocks_(blocks), filled_(filled), pitch_(pitch), end_(end) {
      if (begin >= end) return;
      const place found = all.find_slab(begin, blocks, filled);
      slab_ = found.slab;
      begin_ = static_cast<unsigned>(found.begin);
      left_ = all.of_slab(slab_).sources();
      at_ = find(slab(), left_, begin - begin_);
      left_ -= at_;
    }

    HEDDLE_DEVICE unsigned begin() const { return left_ == 0 || at_ == 0 ? begin_ : begin_ + slab()[at_ - 1].end; }

    HEDDLE_DEVICE raw_entry take() {
      if (left_ < 32) return take_across();
      const entry* const from = slab() + at_ + warp::lane();
      at_ += 32;
      left_ -= 32;
      return {load(from), begin_};
    }

   private:
    /// From the rest of this slab and the 31 after it, and so on: until there are 32, or the run is at its end.
    HEDDLE_DEVICE raw_entry take_across() {
      raw_entry mine = no_entry;
      unsigned have = 0;
      while (have < 32 && slab_ < filled_ && begin_ < end_) {
        // Lane l is slab l of these 32.
        const unsigned number = slab_ + warp::lane();
        const live here = number < filled_ ? all_->of_slab(number) : live{};
        const unsigned left = warp::lane() == 0 ? left_ : here.sources();
        const unsigned through = warp::inclusive_sum(left);
        const word64 items_through = warp::inclusive_sum(here.items());
        // Lane l gets entry number l - have of them: in the first slab through which there are more.
        const unsigned wanted = warp::lane() - have;
        int of = 0;
#pragma unroll
        for (int step = 16; step > 0; step /= 2) {
          if (__shfl_sync(warp::all, through, of + step - 1) <= wanted) of += step;
        }
        const unsigned before = __shfl_sync(warp::all, through - left, of);
        const word64 items_before = __shfl_sync(warp::all, items_through - here.items(), of);
        const unsigned all_left = __shfl_sync(warp::all, through, 31);
        const unsigned at = wanted - before + (of == 0 ? at_ : 0);
        const word64 begin = begin_ + items_before;
        if (warp::lane() >= have && wanted < all_left) {
          mine = {load(slab(static_cast<unsigned>(of)) + at), begin < no_end ? static_cast<unsigned>(begin) : no_end};
        }
        if (have + all_left >= 32) {
          const int last = __shfl_sync(warp::all, of, 31);
          const word64 its_begin = __shfl_sync(warp::all, begin, 31);
          const unsigned its_sources = __shfl_sync(warp::all, here.sources(), last);
          slab_ += static_cast<unsigned>(last);
          at_ = __shfl_sync(warp::all, at, 31) + 1;
          left_ = its_sources - at_;
          begin_ = its_begin < no_end ? static_cast<unsigned>(its_begin) : no_end;
          return mine;
        }
        have += all_left;
        const word64 behind = begin_ + __shfl_sync(warp::all, items_through, 31);
        begin_ = behind < no_end ? static_cast<unsigned>(behind) : no_end;
        slab_ += 32;
        if (all_left == 0 && begin_ < end_)
          slab_ = all_->find_slab(begin_, blocks_, filled_).slab;  // over all the empty ones
        at_ = 0;
        left_ = slab_ < filled_ ? all_->of_slab(slab_).sources() : 0;
      }
      return mine;
    }

    HEDDLE_DEVICE const entry* slab(unsigned after = 0) const {
      return all_->entries() + (slab_ + after) * pitch_;
    }

    const slabs* all_;
    unsigned blocks_, filled_, pitch_, end_;
    unsigned slab_ = 0, at_ = 0, left_ = 0, begin_ = 0;  // `left_` entries of the slab from `at_` on
  };

 private:
  HEDDLE_DEVICE live of_slab(unsigned slab) const {
    return {state_[at_[levels - 1] + slab]};
  }

  /// One step of the search, to that of 32 sums in which the item is.
  HEDDLE_DEVICE static void descend(place& found, word64 item, word64 sum) {
    const word64 through = found.begin + warp::inclusive_sum(sum);
    const int before = __popc(__ballot_sync(warp::all, through <= item));
    found = {found.slab * 32 + static_cast<unsigned>(before), __shfl_sync(warp::all, through - sum, before)};
  }

  /// The level below the sums in the totals: few slabs need few levels.
  HEDDLE_DEVICE static int first_level(unsigned blocks) {
    return blocks <= 32 * 32 ? 3 : blocks <= 32 * 32 * 32 ? 2 : blocks <= 32 * 32 * 32 * 32 ? 1 : 0;
  }
#endif

 private:
  HEDDLE_FN static word64 sums_of(word64 count) {
    return (count + 31) / 32;
  }

  [[maybe_unused]] word64* state_;  // in kernels
  word64 at_[levels + 1];           // where each level begins, and the entries
};

}  // namespace heddle::inline v0::detail

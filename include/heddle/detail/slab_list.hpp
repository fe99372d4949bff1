#pragma once

#include <heddle/detail/slabs.hpp>

namespace heddle::inline v0::detail {

#if defined(__CUDACC__)

/// The entries of all slabs as one list. Its places are those of the slabs, also where no entry is.
struct slab_list {
  const slabs& all;
  unsigned blocks, filled, pitch, item_count;

  /// 32 entries of a slab at a time, or fewer at its end.
  class reader {
   public:
    reader() = default;
    HEDDLE_DEVICE reader(const slab_list& list, unsigned slab, unsigned entry, unsigned begin)
        : slab_(slab), next_(entry == 0 ? 0 : (entry - 1) / 16 * 16), begin_(begin), known_(slab) {
      words_ = list.words_from(slab);
      count_ = known(list, slab).sources();
    }

    HEDDLE_DEVICE unsigned begin() const { return begin_; }
    HEDDLE_DEVICE unsigned place(const slab_list&) const { return place_; }

    HEDDLE_DEVICE raw_entry take(const slab_list& list) {
      if (next_ >= count_) go_to_next_slab(list);
      const unsigned mine = next_ + warp::lane();
      place_ = slab_ * list.pitch + (mine < count_ ? mine : count_ - 1);
      next_ += 32;
      return raw_entry::load(list.all.entries() + place_, begin_);
    }

   private:
    /// That has entries. Behind the last of these it stays where it is.
    HEDDLE_DEVICE void go_to_next_slab(const slab_list& list) {
      for (unsigned slab = slab_ + 1; slab < list.filled; ++slab) {
        const unsigned count = known(list, slab).sources();
        if (count == 0) continue;
        begin_ = slabs::clipped(begin_ + known(list, slab_).items());
        slab_ = slab;
        next_ = 0;
        count_ = count;
        return;
      }
    }

    HEDDLE_DEVICE live known(const slab_list& list, unsigned slab) {
      if (slab - known_ >= 32) words_ = list.words_from(known_ = slab);
      return {__shfl_sync(warp::all, words_, static_cast<int>(slab - known_))};
    }

    unsigned slab_, next_, count_, begin_, place_;
    unsigned known_;  // the first of the 32 slabs of which each lane has the word of one
    word64 words_;
  };

  HEDDLE_DEVICE unsigned items() const { return item_count; }
  HEDDLE_DEVICE unsigned places() const { return filled * pitch; }

  struct border_and_reader {
    unsigned item;
    reader from;
  };
  template <class Price>
  HEDDLE_DEVICE border_and_reader border(unsigned target) const {
    const auto [slab, begin, entry] = find_in<Price>(target);
    return {Price::border(target, entry.begin, entry.end, slab * pitch + entry.number),
            reader(*this, slab, entry.number, begin)};
  }

  /// The first item of a source, of the one that has this item.
  HEDDLE_DEVICE unsigned begin_of(unsigned item) const { return find_in<price<granularity::warp>>(item).entry.begin; }

 private:
  struct place {
    unsigned slab, begin;
    found_entry entry;
  };
  template <class Price>
  HEDDLE_DEVICE place find_in(unsigned target) const {
    const auto [slab, items_before] = all.find_slab<Price>(blocks, filled, pitch, target);
    const unsigned begin = slabs::clipped(items_before), count = all.of_slab(slab).sources(), first = slab * pitch;
    if (count == 0) return {slab, begin, {0, begin, begin}};
    return {slab, begin, find<Price>(all.entries() + first, count, begin, first, target)};
  }

  HEDDLE_DEVICE word64 words_from(unsigned slab) const {
    return slab + warp::lane() < filled ? all.of_slab(slab + warp::lane()).word : 0;
  }
};

#endif

}  // namespace heddle::inline v0::detail

#pragma once

#include <heddle/detail/slabs.hpp>

namespace heddle::inline v0::detail {

#if defined(__CUDACC__)

/// The entries of all slabs as one list. Its places are those of the slabs, also where no entry is.
struct slab_list {
  const slabs& all;
  unsigned blocks, filled, pitch, item_count;

  /// A burst is within a slab, and slabs may be short.
  static constexpr unsigned at_once = 1;

  class reader {
   public:
    reader() = default;
    HEDDLE_DEVICE reader(const slab_list& list, unsigned slab, unsigned entry, unsigned begin)
        : at_((entry == 0 ? 0 : (entry - 1) / 16 * 16) - 32 * at_once),
          end_(begin),
          known_(slab),
          words_(list.words_from(slab)) {
      enter(slab, known(list, slab));
    }

    HEDDLE_DEVICE unsigned begin() const { return begin_; }
    HEDDLE_DEVICE unsigned place(const slab_list& list, unsigned i) const {
      const unsigned entry = at_ + i * 32 + warp::lane();
      return slab_ * list.pitch + (entry < entries_ ? entry : entries_ - 1);
    }

    /// Behind the last slab that has entries it stays where it is.
    HEDDLE_DEVICE void advance(const slab_list& list) {
      at_ += 32 * at_once;
      for (unsigned slab = slab_ + 1; at_ >= entries_ && slab < list.filled; ++slab) {
        const live next = known(list, slab);
        if (next.sources() == 0) continue;
        enter(slab, next);
        at_ = 0;
      }
    }

   private:
    HEDDLE_DEVICE void enter(unsigned slab, live word) {
      slab_ = slab;
      entries_ = word.sources();
      begin_ = end_;
      end_ = slabs::clipped(begin_ + word.items());
    }

    HEDDLE_DEVICE live known(const slab_list& list, unsigned slab) {
      if (slab - known_ >= 32) words_ = list.words_from(known_ = slab);
      return {__shfl_sync(warp::all, words_, static_cast<int>(slab - known_))};
    }

    unsigned slab_, at_, entries_;  // of the slab; the burst begins at one of its entries
    unsigned begin_, end_;          // of its items
    unsigned known_;                // the first of the 32 slabs of which each lane has the word of one
    word64 words_;
  };

  HEDDLE_DEVICE const entry* entries() const { return all.entries(); }
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

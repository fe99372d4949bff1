#pragma once

#include <heddle/detail/most_items.hpp>
#include <heddle/expand/detail/block_sum.hpp>
#include <heddle/expand/expansion.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

/// The counters of one turn. The packed word has the number of sources above and the number of items below. What it
/// could not hold is counted apart.
struct alignas(16) packed_totals {
  word64 packed;
  word64 reserved;                        // items of large pushes
  word64 refused_sources, refused_items;  // pushed, but not in the packed word
  unsigned cut_source, cut_item;          // where the first source without room would begin
};

/// Hands out entries and items by one addition to a 64-bit word. The items never carry into the sources.
///
/// A push that finds the counter past capacity subtracts what it added, and waits until that is done. So two things
/// alone can take the word past the capacity: the last push that was admitted, and pushes that have not yet subtracted.
/// The latter come from at most 2^20 threads, more than any GPU runs at once, with up to `most_of_each` sources.
/// Together they have fewer items than half the range of the item bits. A push with more items per thread than that
/// allows first reserves them in `reserved`: at most one such push passes the capacity, and it adds at most the
/// capacity plus one.
class packed_counter {
  static constexpr word64 refused = ~word64{0};
  static constexpr int bits_of_threads = 20;
  // Sources that may be past the capacity.
  static constexpr long long most_in_hand = (most_of_each + 1LL) << bits_of_threads;

 public:
  HEDDLE_HOST packed_counter(const char* sources_name, const char* items_name, expansion capacity)
      : capacity_(capacity), bits_of_items_(64) {
    require_at_most(0xffffffffLL - most_in_hand, sources_name, as_signed(capacity.sources));
    for (word64 left = capacity.sources + most_in_hand; left > 0; left >>= 1) --bits_of_items_;
    require_at_most(1LL << (bits_of_items_ - 3), items_name, as_signed(capacity.items));
  }

  /// Returns the sources and items of all pushes.
  HEDDLE_FN expansion required(const packed_totals& of) const {
    return {(of.packed >> bits_of_items_) + of.refused_sources, (of.packed & items_mask()) + of.refused_items};
  }

#if defined(__CUDACC__)
  /// Takes entries and items for `threads` threads that push together; one of them calls it. Returns where they begin,
  /// packed, or `refused`.
  HEDDLE_DEVICE word64 take(packed_totals& totals, live pushed, unsigned threads) const {
    if (pushed.word == 0) return 0;
    word64 items = pushed.items(), undone = 0;
    bool room = true;
    if (items >> (bits_of_items_ - 1 - bits_of_threads) >= threads) {
      const word64 before = atomicAdd(&totals.reserved, items);
      room = before < capacity_.items;
      if (before + items > capacity_.items && items > capacity_.items) items = capacity_.items + 1;
    }
    const word64 word = (word64{pushed.sources()} << bits_of_items_) + items;
    if (room) {
      const word64 before = atomicAdd(&totals.packed, word);
      room = !over(before);
      if (room && items < pushed.items()) atomicAdd(&totals.refused_items, pushed.items() - items);
      if (room) return before;
      undone = atomicAdd(&totals.packed, ~word + 1);
    }
    // This addition waits for the answer, so that the subtraction is done before this thread ends and makes room for
    // another that adds. With a fence instead, ptxas makes no atomic of the whole kernel one without an answer: random
    // additions of a user's then take 1.35 times as long (H200).
    atomicAdd(&totals.refused_sources, pushed.sources() + word64{undone == refused});
    atomicAdd(&totals.refused_items, pushed.items());
    return refused;
  }

  /// Returns true if all sources and items of a push that begins at `begin` have room.
  HEDDLE_DEVICE bool has_room(word64 begin, live all) const {
    return begin != refused && (begin >> bits_of_items_) + all.sources() <= capacity_.sources &&
           (begin & items_mask()) + all.items() <= capacity_.items;
  }

  /// Unpacks a begin for which there is room.
  struct position {
    unsigned source, item;
  };
  HEDDLE_DEVICE position position_of(word64 begin) const {
    return {static_cast<unsigned>(begin >> bits_of_items_), static_cast<unsigned>(begin & items_mask())};
  }

  /// Returns the begin of a warp, from that of its block and what the warps before it push. If they push more items
  /// than the whole capacity, the warp is refused, before the sum could carry.
  HEDDLE_DEVICE word64 plus(word64 begin, live before) const {
    if (begin == refused || before.items() > capacity_.items) return refused;
    return begin + (word64{before.sources()} << bits_of_items_) + before.items();
  }

  /// Returns whether a source is admitted, the index of its entry and the begin of its items. The first source without
  /// room stores where the list ends. Sums only grow, so no later source is admitted.
  struct admission {
    bool admitted;
    unsigned index, begin;
  };
  HEDDLE_DEVICE admission admit(packed_totals& totals, word64 begin, unsigned sources_before, word64 items_before,
                                unsigned n) const {
    if (n == 0 || begin == refused) return {false, 0, 0};
    const word64 index = (begin >> bits_of_items_) + sources_before, item = (begin & items_mask()) + items_before;
    if (index < capacity_.sources && item + n <= capacity_.items) {
      return {true, static_cast<unsigned>(index), static_cast<unsigned>(item)};
    }
    if (index <= capacity_.sources && item <= capacity_.items) {
      totals.cut_source = static_cast<unsigned>(index);
      totals.cut_item = static_cast<unsigned>(item);
    }
    return {false, 0, 0};
  }

  /// Returns the number of sources and items in the list.
  HEDDLE_DEVICE position admitted(const packed_totals& totals) const {
    if (over(totals.packed)) return {totals.cut_source, totals.cut_item};
    return position_of(totals.packed);
  }
#endif

 private:
  HEDDLE_FN bool over(word64 packed) const {
    return packed >> bits_of_items_ > capacity_.sources || (packed & items_mask()) > capacity_.items;
  }

  HEDDLE_FN word64 items_mask() const {
    return (word64{1} << bits_of_items_) - 1;
  }

  expansion capacity_;
  int bits_of_items_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

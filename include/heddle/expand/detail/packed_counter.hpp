#pragma once

#include <heddle/detail/most_items.hpp>
#include <heddle/expand/detail/block_sum.hpp>
#include <heddle/expand/expansion.hpp>

namespace heddle::inline HEDDLE_ABI::detail::expand {

/// What is counted of one turn. The packed word has sources above and items below; where it would run over, what did
/// not get in is counted apart.
struct alignas(16) packed_totals {
  word64 packed;
  word64 reserved;  // items that large pushes asked for
  word64 refused_sources, refused_items;
  unsigned cut_source, cut_item;  // the first for which there was no room
};

/// Gives out entries and items by one addition to a 64-bit word, and never carries from one into the other.
///
/// A push that finds the counter past capacity subtracts what it added, and waits until that is done. So past the
/// capacity the word holds the last push that was admitted, and what threads have in hand: of at most 2^20 threads,
/// more than any GPU runs at once, up to 63 sources each, and fewer items than half of the word has bits for. A push of
/// more items per thread reserves them in a word of its own first: of these, one goes past the capacity, and adds no
/// more than it.
class packed_counter {
  static constexpr word64 refused = ~word64{0};
  static constexpr int bits_of_threads = 20;
  static constexpr long long most_in_hand = 64LL << bits_of_threads;  // sources, and those of the last push

 public:
  HEDDLE_HOST packed_counter(const char* sources_name, const char* items_name, expansion capacity)
      : capacity_(capacity), bits_of_items_(64) {
    require_at_most(0xffffffffLL - most_in_hand, sources_name, as_signed(capacity.sources));
    for (word64 left = capacity.sources + most_in_hand; left > 0; left >>= 1) --bits_of_items_;
    require_at_most(1LL << (bits_of_items_ - 3), items_name, as_signed(capacity.items));
  }

  HEDDLE_FN expansion required(const packed_totals& of) const {
    return {(of.packed >> bits_of_items_) + of.refused_sources, (of.packed & items_mask()) + of.refused_items};
  }

#if defined(__CUDACC__)
  /// One thread takes for all `threads` that push together. Returns where they begin, packed, or `refused`.
  HEDDLE_DEVICE word64 take(packed_totals& totals, live pushed, unsigned threads) const {
    if (pushed.word == 0) return 0;
    word64 items = pushed.items();
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
      atomicAdd(&totals.packed, ~word + 1);
      __threadfence();  // done before this thread ends and another one adds in its place
    }
    atomicAdd(&totals.refused_sources, word64{pushed.sources()});
    atomicAdd(&totals.refused_items, pushed.items());
    return refused;
  }

  /// Whether there is room for all of those who begin there.
  HEDDLE_DEVICE bool has_room(word64 begin, live all) const {
    return begin != refused && (begin >> bits_of_items_) + all.sources() <= capacity_.sources &&
           (begin & items_mask()) + all.items() <= capacity_.items;
  }

  /// Where those begin for whom there is room.
  struct position {
    unsigned source, item;
  };
  HEDDLE_DEVICE position position_of(word64 begin) const {
    return {static_cast<unsigned>(begin >> bits_of_items_), static_cast<unsigned>(begin & items_mask())};
  }

  /// Where those begin before whom others of the same push are: past all capacity they are refused, too, before a sum
  /// could carry.
  HEDDLE_DEVICE word64 plus(word64 begin, live before) const {
    if (begin == refused || before.items() > capacity_.items) return refused;
    return begin + (word64{before.sources()} << bits_of_items_) + before.items();
  }

  /// For each of them: whether there is room for it, its index, and where its items begin. The first for which there is
  /// none says where the list is cut: sums grow, so that nobody after it gets in.
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

  /// Where the list ends.
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

}  // namespace heddle::inline HEDDLE_ABI::detail::expand

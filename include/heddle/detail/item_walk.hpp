#pragma once

#include <heddle/detail/as_range.hpp>
#include <heddle/detail/unit.hpp>
#include <heddle/expand/item.hpp>

// The second pass over a list of entries that is sorted by items. Each warp (or block) takes one run of items, as long
// as that of the others, and searches for its first entry once. From there on it reads the list like a tape.

namespace heddle::inline v0::detail {

/// A source, and the number of the first item that is not its own any more: those of the entry before end there.
struct alignas(8) entry {
  unsigned source, end;
};

/// What ends no item: behind the last entry.
inline constexpr unsigned no_end = ~0u;

/// An entry as it comes from memory, in one register of 64 bits; its end counts from `begin`.
struct raw_entry {
  unsigned long long word;
  unsigned begin;

  HEDDLE_FN unsigned source() const { return static_cast<unsigned>(word); }

  /// Among all items. What is past every run may be past 32 bits.
  HEDDLE_FN unsigned end() const {
    const auto own = static_cast<unsigned>(word >> 32);
    return own < ~begin ? begin + own : no_end;
  }
};

inline constexpr raw_entry no_entry{0xffffffff00000000, 0};

#if defined(__CUDACC__)

HEDDLE_DEVICE inline unsigned long long load(const entry* from) {
  return *reinterpret_cast<const unsigned long long*>(from);
}

/// Of `items`, the run [begin, end) that unit number `unit` takes, in whole groups of `of`.
struct run {
  unsigned begin, end;

  HEDDLE_DEVICE run(unsigned items, unsigned of, unsigned unit, unsigned units) {
    const unsigned groups = items / of + (items % of > 0 ? 1 : 0);
    const unsigned each = groups / units + (groups % units > 0 ? 1 : 0);
    const unsigned long long first = static_cast<unsigned long long>(each) * of * unit;
    const unsigned long long last = first + static_cast<unsigned long long>(each) * of;
    begin = first < items ? static_cast<unsigned>(first) : items;
    end = last < items ? static_cast<unsigned>(last) : items;
  }
};

/// For a whole warp: of `size` entries in ascending order, the first that ends behind `item`, which there is. Every
/// step leaves a 32nd of them.
HEDDLE_DEVICE inline unsigned find(const entry* entries, unsigned size, unsigned item) {
  unsigned begin = 0;
  while (size > 1) {
    const unsigned step = size / 32 + (size % 32 > 0 ? 1 : 0), last = (warp::lane() + 1) * step - 1;
    const bool ends_before = last < size && entries[begin + last].end <= item;
    const unsigned before = static_cast<unsigned>(__popc(__ballot_sync(warp::all, ends_before))) * step;
    begin += before;
    size = size - before < step ? size - before : step;
  }
  return begin;
}

/// A tape of entries: 64 of them in the registers of a warp. The second half was asked for long before it is needed.
template <class Reader>
class tape {
 public:
  HEDDLE_DEVICE tape(Reader reader, unsigned first_item)
      : reader_(reader),
        below_(warp::below()),
        less_1_(warp::lane() - 1),
        rank_(first_item - reader.begin()),
        next_(reader_.take()) {
    at_ = 32;
    wind();
  }

  /// The entry whose turn it is: for the whole warp.
  HEDDLE_DEVICE unsigned source() const { return __shfl_sync(warp::all, source_, static_cast<int>(at_)); }
  HEDDLE_DEVICE unsigned end() const { return __shfl_sync(warp::all, end_, static_cast<int>(at_)); }
  HEDDLE_DEVICE unsigned rank() const { return rank_; }
  HEDDLE_DEVICE void step() {
    if (++at_ == 32) wind();
  }

  /// For lane l: item row + l. Rows come one after another.
  ///
  ///   row 32, ends at 30 | 33 38 64 | 70      bit e - 33 of each end e: 10 … 0100001
  ///                                           lane 0 has the first of these entries, 1 to 5 the second, 6 … the third
  ///
  /// Ends below a lane's bit say how many entries to go on; the nearest of them, how far its own has come.
  HEDDLE_DEVICE item row(unsigned row) {
    if (row + 32 > last_end_) return row_across(row);
    const unsigned ends = __reduce_or_sync(warp::all, bit(end_, row)), before = ends & below_;
    const unsigned source = __shfl_sync(warp::all, source_, static_cast<int>(at_) + __popc(before));
    return {source, go_on(ends, before)};
  }

 private:
  /// A row that reaches into the second half. No entry is empty: 64 of them are enough, and the first 32 end here.
  HEDDLE_DEVICE item row_across(unsigned row) {
    const unsigned ends = __reduce_or_sync(warp::all, bit(end_, row) | bit(next_.end(), row)), before = ends & below_;
    const int at = static_cast<int>(at_) + __popc(before);
    const unsigned source = __shfl_sync(warp::all, source_, at), of_next = __shfl_sync(warp::all, next_.source(), at);
    const unsigned rank = go_on(ends, before);
    wind();
    return {at < 32 ? source : of_next, rank};
  }

  HEDDLE_DEVICE static unsigned bit(unsigned end, unsigned row) {
    return __funnelshift_lc(0, 1, end - row - 1);  // 1 << …, and 0 from 32 on
  }

  /// This lane's rank, and then the place and the rank of the first item of the next row.
  HEDDLE_DEVICE unsigned go_on(unsigned ends, unsigned before) {
    const unsigned rank = less_1_ + rank_after(before) - 31;
    at_ += static_cast<unsigned>(__popc(ends));
    rank_ = rank_after(ends);
    return rank;
  }

  /// Of the item 32 behind that at the lowest bit, where entries end at the bits.
  HEDDLE_DEVICE unsigned rank_after(unsigned ends) const {
    return static_cast<unsigned>(__clz(static_cast<int>(ends))) + (ends == 0 ? rank_ : 0);
  }

  HEDDLE_DEVICE void wind() {
    at_ -= 32;
    source_ = next_.source();
    end_ = next_.end();
    last_end_ = __shfl_sync(warp::all, end_, 31);
    next_ = reader_.take();  // nothing touches it before it is needed: a copy would wait for the memory
  }

  Reader reader_;
  unsigned below_, less_1_;  // of the lane: a mask, and its number less 1
  unsigned rank_;            // of the first item of the next row, and that of the first
  unsigned at_, source_, end_, last_end_;
  raw_entry next_;
};

/// The items of one thread, as a range or step by step. A warp (or a block) finds them together: it leaves together,
/// too.
template <class Reader, granularity Granularity>
class item_cursor : public as_range<item_cursor<Reader, Granularity>, item> {
  static constexpr bool by_thread = Granularity == granularity::thread;

 public:
  template <class List>
  HEDDLE_DEVICE explicit item_cursor(const List& list)
      : item_cursor(list, run(list.items(), by_thread ? 32 : 1, unit<Granularity>::number_of_warp(),
                              unit<Granularity>::count_of_warps())) {}
  item_cursor(const item_cursor&) = delete;  // two of them would search twice

  HEDDLE_DEVICE explicit operator bool() const { return slot_ < end_; }
  HEDDLE_DEVICE item operator*() const { return item_; }

  /// The number of the item among all items: no other has it, and there are no gaps.
  HEDDLE_DEVICE unsigned slot() const { return slot_; }

  HEDDLE_DEVICE item_cursor& operator++() {
    if constexpr (by_thread) {
      slot_ += 32;
      row_ += 32;
      if (row_ < end_) item_ = tape_.row(row_);
    } else {
      ++item_.rank;
      if (++slot_ == end_of_entry_ && slot_ < end_) {
        tape_.step();
        item_ = {tape_.source(), 0};
        end_of_entry_ = tape_.end();
      }
    }
    return *this;
  }

 private:
  template <class List>
  HEDDLE_DEVICE item_cursor(const List& list, run mine)
      : tape_(list.read(mine.begin, mine.end), mine.begin),
        slot_(by_thread ? mine.begin + warp::lane() : mine.begin),
        row_(mine.begin),
        end_(mine.end) {
    if (row_ >= end_) return;
    if constexpr (by_thread) {
      item_ = tape_.row(row_);
    } else {
      item_ = {tape_.source(), tape_.rank()};
      end_of_entry_ = tape_.end();
    }
  }

  tape<Reader> tape_;
  unsigned slot_, row_, end_, end_of_entry_ = 0;
  item item_{0, 0};
};

#endif

}  // namespace heddle::inline v0::detail

#pragma once

#include <heddle/detail/warp.hpp>
#include <heddle/expand/item.hpp>

// Entries of a list that is sorted by items, as a warp reads them one after another: like a tape.

namespace heddle::inline v0::detail {

/// What ends no item: behind the last entry.
inline constexpr unsigned no_end = ~0u;

/// A source, and the number of the first item that is not its own any more: those of the entry before end there.
struct alignas(8) entry {
  unsigned source, end;

  /// Among all items, where this one counts from one of them. What is past every run may be past 32 bits.
  HEDDLE_FN unsigned end_from(unsigned begin) const { return end < ~begin ? begin + end : no_end; }
};

#if defined(__CUDACC__)

/// An entry as it comes from memory, in one register of 64 bits: who looks into it waits for the memory.
struct raw_entry {
  unsigned long long word;
  unsigned begin;  // its end counts from there

  HEDDLE_DEVICE static raw_entry load(const entry* from, unsigned begin) {
    return {*reinterpret_cast<const unsigned long long*>(from), begin};
  }

  HEDDLE_DEVICE unsigned source() const { return static_cast<unsigned>(word); }

  HEDDLE_DEVICE unsigned end() const { return entry{source(), static_cast<unsigned>(word >> 32)}.end_from(begin); }
};

/// 32 entries in the registers of a warp, one a lane, and the next 32, asked for long before they are needed. Where
/// there are fewer, the last of them is there again: an entry without items.
///
/// A row is 32 items, one a lane. What begins within it marks a bit, and the bits up to a lane's own say which entry is
/// the lane's; how far that has come by now is the lane's rank.
///
///   entries begin at 3, 20 | 33, 38, 64      row 32: marks, from bit 0, 0100001
///                                            lane 0 has the second entry, 1 to 5 the third, 6 to 31 the fourth
///
/// Everything is for a whole warp.
template <class List, class Price>
class tape {
  using reader = typename List::reader;

 public:
  /// To the row that begins with an item. What `from` takes first begins at `from.begin()`, or is not the item's entry.
  HEDDLE_DEVICE void seek(const List& list, const reader& from, unsigned row, unsigned target) {
    reader_ = from;
    target_ = target;
    limit_ = list.items();
    end_ = reader_.begin();
    next_ = reader_.take(list);
    do {
      wind(list, row);
      next_ = reader_.take(list);
    } while (end_ <= row);
  }

  /// Where the entries end that are here, and all that is to be taken from the tape, as far as is known by now: it ends
  /// where the target is spent.
  HEDDLE_DEVICE unsigned end() const { return end_; }
  HEDDLE_DEVICE unsigned limit() const { return limit_; }

  /// The item of each lane in the next row, of which all entries are here.
  HEDDLE_DEVICE item row() {
    const place here = look_up();
    turn(here);
    return here.found;
  }

  /// The same where entries are still to come.
  HEDDLE_DEVICE item row_across(const List& list, unsigned row) {
    place here = look_up();
    item mine = here.found;
    while (end_ < row + 32 && end_ < limit_) {
      const bool is_later = row + warp::lane() >= end_;
      wind(list, row);
      here = look_up();
      if (is_later) mine = here.found;
      next_ = reader_.take(list);  // last: while the registers are in use it would go elsewhere, and a copy would wait
    }
    turn(here);
    return mine;
  }

  /// For who takes no rows, but entry by entry, and sought row 0: the entry of an item.
  struct stretch {
    unsigned source, begin, end;
  };
  HEDDLE_DEVICE stretch entry_of(const List& list, unsigned item) {
    while (end_ <= item) {
      wind(list, 0);
      next_ = reader_.take(list);
    }
    const int at = __popc(__ballot_sync(warp::all, from_row_ <= item)) - 1;
    const unsigned begin = __shfl_sync(warp::all, from_row_, at), next = __shfl_sync(warp::all, from_row_, at + 1);
    return {__shfl_sync(warp::all, source_, at), begin, at == 31 ? end_ : next};
  }

 private:
  struct place {
    item found;
    unsigned marks;
  };

  HEDDLE_DEVICE place look_up() const {
    const unsigned mark = __funnelshift_lc(0, 1, from_row_);  // 1 << …, and 0 from 32 on
    const unsigned marks = __reduce_or_sync(warp::all, mark);
    const int at = at_ + __popc(marks & (2 * warp::below() + 1));
    return {{__shfl_sync(warp::all, source_, at), warp::lane() - __shfl_sync(warp::all, from_row_, at)}, marks};
  }

  HEDDLE_DEVICE void turn(const place& here) {
    at_ += __popc(here.marks);
    from_row_ -= 32;
  }

  /// On to the next entries.
  HEDDLE_DEVICE void wind(const List& list, unsigned row) {
    const unsigned end = next_.end(), end_before = __shfl_up_sync(warp::all, end, 1);
    const unsigned begin = warp::lane() == 0 ? end_ : end_before, number = reader_.place(list);
    from_row_ = begin - row;
    source_ = next_.source();
    end_ = __shfl_sync(warp::all, end, 31);
    at_ = __popc(__ballot_sync(warp::all, begin < row)) - 1;
    const unsigned behind = __ballot_sync(warp::all, Price::through(end, number) > target_);
    if (behind != 0) {
      const unsigned border = Price::border(target_, begin, end, number);
      const unsigned mine = __shfl_sync(warp::all, border, __ffs(static_cast<int>(behind)) - 1);
      limit_ = mine < limit_ ? mine : limit_;
      target_ = no_end;
    }
  }

  reader reader_;
  int at_;                      // the entry before those that begin in the row
  unsigned source_, from_row_;  // of this lane's entry, and where it begins, counted from the row
  unsigned end_, limit_, target_;
  raw_entry next_;
};

#endif

}  // namespace heddle::inline v0::detail

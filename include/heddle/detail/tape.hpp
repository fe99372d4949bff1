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

/// Entries in the registers of a warp: 32 that are dealt with, one a lane, and a burst of more, asked for long before
/// they are needed. Where there are fewer, the last of them is there again: an entry without items.
///
/// A row is 32 items, one a lane. What begins within it marks a bit, and the bits up to a lane's own say which entry is
/// the lane's; how far that has come by now is the lane's rank.
///
///   entries begin at 3, 20 | 33, 38, 64      row 32: marks, from bit 0, 0100001
///                                            lane 0 has the second entry, 1 to 5 the third, 6 to 31 the fourth
///
/// Everything is for a whole warp. A list says how many times 32 entries are a burst, `at_once`. Its reader goes from
/// one burst to the next by `advance(list)`: `place(list, i)` is where this lane's entry of the i-th 32 is, whose end
/// counts from `begin()`.
template <class List, class Price>
class tape {
  using reader = typename List::reader;
  static constexpr unsigned at_once = List::at_once;

 public:
  /// To the row that begins with an item. What `from` brings first begins at `from.begin()`, or is not the item's
  /// entry. The tape ends where so much is spent.
  HEDDLE_DEVICE void seek(const List& list, const reader& from, unsigned row, unsigned target) {
    reader_ = from;
    target_ = target;
    limit_ = list.items();
    end_ = left_ = 0;
    ask(list);
    end_ = reader_.begin();
    while (end_ <= row && row < limit_) {
      wind(list, row);
      ask(list);
    }
    at_ += __popc(__ballot_sync(warp::all, from_row_ + row < row));
  }

  /// Where the entries end that are dealt with, and the tape, as far as is known by now.
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
      ask(list);  // last: while the registers are in use it would go elsewhere, and a copy would wait
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
      ask(list);
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
    const entry here{static_cast<unsigned>(next_[0]), static_cast<unsigned>(next_[0] >> 32)};
    const unsigned end = here.end_from(reader_.begin()), end_before = __shfl_up_sync(warp::all, end, 1);
    const unsigned begin = warp::lane() == 0 ? end_ : end_before;
    from_row_ = begin - row;
    source_ = here.source;
    end_ = __shfl_sync(warp::all, end, 31);
    at_ = -1;
    const unsigned number = reader_.place(list, at_once - left_--);
#pragma unroll
    for (unsigned i = 1; i < at_once; ++i) next_[i - 1] = next_[i];
    const unsigned behind = __ballot_sync(warp::all, Price::through(end, number) > target_);
    if (behind == 0) return;
    const unsigned border = Price::border(target_, begin, end, number);
    const unsigned first = __shfl_sync(warp::all, border, __ffs(static_cast<int>(behind)) - 1);
    limit_ = first < limit_ ? first : limit_;
    target_ = no_end;
  }

  /// Asks for the next burst of entries, if there is need and room. Nothing touches them before they are needed.
  HEDDLE_DEVICE void ask(const List& list) {
    if (left_ > 0 || end_ >= limit_) return;
    reader_.advance(list);
    left_ = at_once;
#pragma unroll
    for (unsigned i = 0; i < at_once; ++i) {
      next_[i] = *reinterpret_cast<const unsigned long long*>(list.entries() + reader_.place(list, i));
    }
  }

  reader reader_;
  int at_;                      // the entry before those that begin in the row
  unsigned source_, from_row_;  // of this lane's entry, and where it begins, counted from the row
  unsigned end_, limit_ = 0, target_;
  unsigned left_;  // of the burst, in parts of 32 entries
  unsigned long long next_[at_once];
};

#endif

}  // namespace heddle::inline v0::detail

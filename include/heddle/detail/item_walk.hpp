#pragma once

#include <heddle/detail/as_range.hpp>
#include <heddle/detail/price.hpp>
#include <heddle/detail/tape.hpp>
#include <heddle/detail/unit.hpp>

namespace heddle::inline v0::detail {

#if defined(__CUDACC__)

/// The second pass over a list of entries that is sorted by items: a range, or step by step. Each warp (or block) takes
/// one run of items, searches for its begin once, and leaves together.
///
/// A list has `items()` in `places()`, of which some may be empty. `border<Price>(target)` is the border there, and a
/// reader of what comes behind it.
template <class List, granularity Granularity>
class item_cursor : public as_range<item_cursor<List, Granularity>, item> {
  static constexpr bool by_thread = Granularity == granularity::thread;
  using its_price = price<Granularity>;

 public:
  HEDDLE_DEVICE explicit item_cursor(const List& list) : list_(list) {
    if (list.items() == 0) return;
    const unsigned units = unit<Granularity>::count_of_warps(), number = unit<Granularity>::number_of_warp();
    const unsigned all = its_price::through(list.items(), list.places() - 1), each = (all - 1) / units + 1;
    const word64 begin = word64{each} * number, end = begin + each;
    if (begin >= all) return;
    const auto [first, from] = list.template border<its_price>(static_cast<unsigned>(begin));
    slot_ = number == 0 ? 0 : first;
    if (slot_ >= list.items()) return;
    tape_.seek(list_, from, by_thread ? slot_ : 0, end < all ? static_cast<unsigned>(end) : no_end);
    if (slot_ >= tape_.limit()) return;
    if constexpr (by_thread) slot_ += warp::lane();
    go_on();
  }
  item_cursor(const item_cursor&) = delete;  // two of them would search twice

  HEDDLE_DEVICE explicit operator bool() const { return is_here_; }
  HEDDLE_DEVICE item operator*() const { return item_; }

  /// The number of the item among all items: no other has it, and there are no gaps.
  HEDDLE_DEVICE unsigned slot() const { return slot_; }

  HEDDLE_DEVICE item_cursor& operator++() {
    slot_ += by_thread ? 32 : 1;
    if (slot_ < until_) {
      if constexpr (by_thread) item_ = tape_.row();
      if constexpr (!by_thread) ++item_.rank;
      is_here_ = true;  // said again: the compiler then goes on without a look
    } else {
      is_here_ = false;
      if (first_of_row() < tape_.limit()) go_on();
    }
    return *this;
  }

 private:
  /// Where the tape is to be wound on: for the next row, or the next entry.
  HEDDLE_DEVICE void go_on() {
    if constexpr (by_thread) {
      item_ = tape_.row_across(list_, first_of_row());
      const unsigned end = (tape_.end() < tape_.limit() ? tape_.end() : tape_.limit()) + warp::lane();
      until_ = end < 31 ? 0 : end - 31;  // of whole rows
    } else {
      const auto [source, begin, end] = tape_.entry_of(list_, slot_);
      item_ = {source, slot_ - begin};
      until_ = end < tape_.limit() ? end : tape_.limit();
    }
    is_here_ = slot_ < tape_.limit();
  }

  HEDDLE_DEVICE unsigned first_of_row() const { return by_thread ? slot_ - warp::lane() : slot_; }

  List list_;
  tape<List, its_price> tape_;
  unsigned slot_ = 0, until_ = 0;  // until there the tape needs no winding
  bool is_here_ = false;
  item item_{0, 0};
};

#endif

}  // namespace heddle::inline v0::detail

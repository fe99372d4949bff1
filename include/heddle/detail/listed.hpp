#pragma once

#include <heddle/detail/unit.hpp>
#include <heddle/expand/item.hpp>

namespace heddle::inline v0::detail {

#if defined(__CUDACC__)

/// The items of a list that has each of them, dealt out in turns. The next one is asked for a turn ahead.
template <granularity Granularity>
class listed_cursor {
 public:
  HEDDLE_DEVICE listed_cursor(const item* list, unsigned count)
      : list_(list), count_(count), slot_(unit<Granularity>::number()), next_(at(slot_)) {
    advance();
  }
  listed_cursor(const listed_cursor&) = delete;

  HEDDLE_DEVICE explicit operator bool() const { return slot_ < count_; }
  HEDDLE_DEVICE item operator*() const { return item_; }

  /// The number of the item among all items: no other has it, and there are no gaps.
  HEDDLE_DEVICE unsigned slot() const { return slot_; }

  HEDDLE_DEVICE listed_cursor& operator++() {
    slot_ = after(slot_);
    advance();
    return *this;
  }

  // The same as a range: what is left.
  struct end_of_range {};
  struct iterator {
    listed_cursor& place;

    HEDDLE_DEVICE item operator*() const { return *place; }
    HEDDLE_DEVICE void operator++() const { ++place; }
    HEDDLE_DEVICE friend bool operator!=(iterator at, end_of_range) { return static_cast<bool>(at.place); }
  };
  HEDDLE_DEVICE iterator begin() { return {*this}; }
  HEDDLE_DEVICE end_of_range end() const { return {}; }

 private:
  HEDDLE_DEVICE void advance() {
    item_ = next_;
    next_ = at(after(slot_));
  }

  HEDDLE_DEVICE item at(unsigned slot) const { return slot < count_ ? list_[slot] : item{0, 0}; }

  HEDDLE_DEVICE unsigned after(unsigned slot) const {
    const unsigned turn = unit<Granularity>::count();
    return slot < count_ && count_ - slot > turn ? slot + turn : count_;
  }

  const item* list_;
  unsigned count_, slot_;
  item item_{0, 0}, next_;
};

#endif

}  // namespace heddle::inline v0::detail

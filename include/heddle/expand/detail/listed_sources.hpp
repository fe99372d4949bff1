#pragma once

#include <heddle/detail/as_range.hpp>
#include <heddle/expand/detail/item_unit.hpp>
#include <heddle/expand/item.hpp>

namespace heddle::inline HEDDLE_ABI::detail::expand {

/// A source and how many items it spawned, for lists in which a place follows from arithmetic.
struct alignas(8) spawner {
  unsigned source, n;
};

#if defined(__CUDACC__)

/// The places of a list, dealt out in turns. What is at the next one is asked for a turn ahead.
///
/// A list has so many `places()`; `load(place)` is what is there as it comes from memory, `at(place, loaded)` the item,
/// and `has_item(place, loaded)` says whether it is one: where it is none, nobody works. `has_gaps` if there are such.
template <class List, granularity Granularity>
class listed_cursor : public as_range<listed_cursor<List, Granularity>, item> {
 public:
  HEDDLE_DEVICE explicit listed_cursor(const List& list)
      : list_(list), place_(unit<Granularity>::number()), next_(load(place_)) {
    advance();
  }
  listed_cursor(const listed_cursor&) = delete;

  HEDDLE_DEVICE explicit operator bool() const { return place_ < list_.places(); }
  HEDDLE_DEVICE item operator*() const { return item_; }

  /// The number of the item among all items: no other has it, and there are no gaps.
  HEDDLE_DEVICE unsigned slot() const requires(!List::has_gaps) { return place_; }

  HEDDLE_DEVICE listed_cursor& operator++() {
    place_ = after(place_);
    advance();
    return *this;
  }

 private:
  using loaded = typename List::loaded;

  HEDDLE_DEVICE void advance() {
    for (;; place_ = after(place_)) {
      const loaded here = next_;
      next_ = load(after(place_));
      item_ = list_.at(place_, here);
      if (place_ >= list_.places() || list_.has_item(place_, here)) return;
    }
  }

  HEDDLE_DEVICE loaded load(unsigned place) const { return place < list_.places() ? list_.load(place) : loaded{}; }

  HEDDLE_DEVICE unsigned after(unsigned place) const {
    const unsigned turn = unit<Granularity>::count(), count = list_.places();
    return place < count && count - place > turn ? place + turn : count;
  }

  List list_;
  unsigned place_;
  item item_{0, 0};
  loaded next_;
};

#endif

}  // namespace heddle::inline HEDDLE_ABI::detail::expand

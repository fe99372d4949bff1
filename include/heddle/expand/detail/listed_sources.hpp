#pragma once

#include <heddle/detail/range_for.hpp>
#include <heddle/expand/detail/item_unit.hpp>
#include <heddle/expand/item.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

/// A source and the number of its items.
struct alignas(8) spawner {
  unsigned source, n;
};

#if defined(__CUDACC__)

/// Walks the places of a list in turns: unit u of U has the places u, u + U, u + 2U and so on. The next place is loaded
/// one turn ahead.
///
/// A `List` has `places()`, the number of places; `load(place)`, which reads one from memory; `at(place, loaded)`, the
/// item there; `has_item(place, loaded)`, false for a place without an item, which is skipped; and `has_gaps`, true if
/// there may be such places.
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

  /// Returns the number of the item among all items: unique, from 0 without gaps.
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

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

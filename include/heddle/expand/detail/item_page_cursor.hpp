#pragma once

#include <heddle/detail/check.hpp>
#include <heddle/detail/range_for.hpp>
#include <heddle/expand/detail/item_pages.hpp>
#include <heddle/expand/detail/item_unit.hpp>
#include <heddle/expand/item.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

#if defined(__CUDACC__)

/// Walks a list that is sorted by items, by thread. The warps of a block take the rows of a window in turns, 32 items
/// each. An item costs two reads of shared memory and a population count.
template <class List>
class item_page_cursor : public as_range<item_page_cursor<List>, item> {
 public:
  HEDDLE_DEVICE item_page_cursor(item_pages<List>& shared, const List& list)
      : shared_(*ptx::kept_shared(shared)), is_over_(list.items == 0) {
    if (!is_over_) shared.begin(list);
  }
  item_page_cursor(const item_page_cursor&) = delete;  // a copy would share the shared memory

#if HEDDLE_CHECKS
  HEDDLE_DEVICE ~item_page_cursor() noexcept(false) {
    check(at_ >= until_ && (is_over_ || at_ - warp::lane() < until_), "heddle: a loop over items that was left early");
  }
#endif

  /// Returns whether there is an item. A warp without further items in this window goes on to the next one here, and
  /// nowhere else, so that all warps of the block meet in the same barriers.
  HEDDLE_DEVICE explicit operator bool() {
    while (at_ >= until_) {
      if (is_over_ || at_ - warp::lane() < until_) return false;  // the latter: the warp is in the last row of the list
      const auto [window, until] = shared_.next({window_, until_});
      window_ = window;
      until_ = until;
      at_ = warp::thread();
      is_over_ = until == 0;
    }
    return true;
  }
  HEDDLE_DEVICE item operator*() const {
    const entry its = shared_.look_up(at_);
    return {its.source, slot() - its.begin};
  }

  /// Returns the number of the item among all items: unique, from 0 without gaps.
  HEDDLE_DEVICE unsigned slot() const {
    return window_ + at_;
  }

  HEDDLE_DEVICE item_page_cursor& operator++() {
    at_ += warp::threads_in_block();
    return *this;
  }

 private:
  item_pages<List>& shared_;
  unsigned window_ = 0, at_ = 0, until_ = 0;  // first item of the window; this item and the end, within the window
  bool is_over_;
};

#endif

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

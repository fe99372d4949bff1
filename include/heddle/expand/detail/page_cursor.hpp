#pragma once

#include <heddle/detail/as_range.hpp>
#include <heddle/detail/check.hpp>
#include <heddle/expand/detail/item_unit.hpp>
#include <heddle/expand/detail/pages.hpp>
#include <heddle/expand/item.hpp>

namespace heddle::inline HEDDLE_ABI::detail::expand {

#if defined(__CUDACC__)

/// The second pass over a list of entries that is sorted by items, for the threads of a block: of a window each warp
/// has a row of 32 items in turn. An item costs two reads of shared memory and a population count.
template <class List>
class page_cursor : public as_range<page_cursor<List>, item> {
 public:
  HEDDLE_DEVICE page_cursor(pages<List>& shared, const List& list)
      : shared_(*ptx::kept_shared(shared)), is_over_(list.items == 0) {
    if (!is_over_) shared.begin(list);
  }
  page_cursor(const page_cursor&) = delete;  // two of them would share the memory

#if HEDDLE_CHECKS
  HEDDLE_DEVICE ~page_cursor() noexcept(false) {
    check(at_ >= until_ && (is_over_ || at_ - warp::lane() < until_), "heddle: a loop over items that was left early");
  }
#endif

  /// Here the warps of a block go on to the next window, each as soon as it has nothing more in this one, and nowhere
  /// else: a barrier must be one and the same for all of them.
  HEDDLE_DEVICE explicit operator bool() {
    while (at_ >= until_) {
      if (is_over_ || at_ - warp::lane() < until_) return false;  // the latter: in the last row of all
      const auto [window, until] = shared_.next();
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

  /// The number of the item among all items: no other has it, and there are no gaps.
  HEDDLE_DEVICE unsigned slot() const {
    return window_ + at_;
  }

  HEDDLE_DEVICE page_cursor& operator++() {
    at_ += warp::threads_in_block();
    return *this;
  }

 private:
  pages<List>& shared_;
  unsigned window_ = 0, at_ = 0, until_ = 0;  // of this thread, in the window
  bool is_over_;
};

#endif

}  // namespace heddle::inline HEDDLE_ABI::detail::expand

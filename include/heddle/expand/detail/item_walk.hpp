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

/// Walks a list that is sorted by items, for warps and blocks. Each unit takes one run of items, finds its begin by one
/// search, and from there on reads 32 entries at a time into the registers of a warp.
template <class List, granularity Granularity>
class run_cursor : public as_range<run_cursor<List, Granularity>, item> {
 public:
  HEDDLE_DEVICE run_cursor(item_pages<List>&, const List& list) : list_(list) {
    if (list.items == 0) return;
    const unsigned units = unit<Granularity>::count(), each = (list.items - 1) / units + 1;
    const word64 begin = word64{each} * unit<Granularity>::number();
    if (begin >= list.items) return;
    const border found = list.template find_border<price<Granularity>>(static_cast<unsigned>(begin));
    slot_ = found.item;
    last_ = list.items - slot_ < each ? list.items : slot_ + each;
    page_ = list.page_at(found.page);
    first_ = found.entry / 32 * 32;
    load();
    go_on();
  }
  run_cursor(const run_cursor&) = delete;  // a copy would visit the items again

  HEDDLE_DEVICE explicit operator bool() const { return slot_ < last_; }
  HEDDLE_DEVICE item operator*() const { return item_; }

  /// Returns the number of the item among all items: unique, from 0 without gaps.
  HEDDLE_DEVICE unsigned slot() const { return slot_; }

  HEDDLE_DEVICE run_cursor& operator++() {
    ++slot_;
    ++item_.rank;
    if (slot_ == until_ && slot_ < last_) go_on();
    return *this;
  }

 private:
  /// Goes on to the entry that has item `slot_`.
  HEDDLE_DEVICE void go_on() {
    while (end_ <= slot_) {
      first_ += 32;
      if (first_ >= page_.count) {
        page_ = list_.page_after(page_);
        first_ = 0;
      }
      load();
    }
    const int of = __popc(__ballot_sync(warp::all, mine_.begin <= slot_)) - 1;
    const unsigned begin = __shfl_sync(warp::all, mine_.begin, of), next = __shfl_sync(warp::all, mine_.begin, of + 1);
    item_ = {__shfl_sync(warp::all, mine_.source, of), slot_ - begin};
    until_ = of == 31 || next > end_ ? end_ : next;
  }

  /// Loads the next 32 entries, one per lane.
  HEDDLE_DEVICE void load() {
    const unsigned left = page_.count - first_, at = first_ + warp::lane();
    mine_ = {0, no_end};
    if (warp::lane() < left) mine_ = page_.read(at);
    end_ = page_.end_of(first_ + (left < 32 ? left : 32) - 1);
  }

  List list_;
  page page_{};
  unsigned first_ = 0;                        // the first of the 32 entries, in the page
  entry mine_{0, no_end};                     // this lane's entry of the 32
  unsigned end_ = 0;                          // the end of the items of all 32
  unsigned slot_ = 0, last_ = 0, until_ = 0;  // this item, the end of the run, and the end of this entry's items
  item item_{0, 0};
};

/// Selects the cursor: by thread through the block's shared memory, by warp and by block in registers.
template <class List, granularity Granularity>
struct walk {
  using cursor = run_cursor<List, Granularity>;
};
template <class List>
struct walk<List, granularity::thread> {
  using cursor = item_page_cursor<List>;
};
template <class List, granularity Granularity>
using item_cursor = typename walk<List, Granularity>::cursor;

#endif

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

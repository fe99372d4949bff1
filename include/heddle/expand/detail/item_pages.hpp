#pragma once

#include <heddle/expand/detail/item_rows.hpp>
#include <heddle/expand/detail/item_shares.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

/// The most threads of a multiprocessor that read a list at once. H200, 2^22 sources of 16 items: the second pass, one
/// store per item, takes 156 us with 1536 threads and 174 with 2048.
inline constexpr unsigned page_readers = 1536;

/// Deals out the pages of a list that is sorted by items, and reads them through shared memory: page by page, and of a
/// page one window of items after another. Rows are whole: the last row of a page continues into the next page.
///
/// If no push was very large, the blocks take pages in turns, so that all of them read one region. Otherwise each block
/// takes one run of the list, and all runs are equal work.
///
/// A list with one item per entry, flat for short, takes neither windows nor barriers: a thread writes the entries that
/// it will look up.
///
/// A `List` has `items`, `places()`, which counts entries and empty places, and `pages()`. All lanes of a warp call
/// `page_at(number)`, which returns a page; `page_after(page)`, the next page that has entries; and
/// `find_border<Price>(target)`, the border at which the cost reaches `target`. `largest` is the most items of a push
/// or a slab. `begins_apart` is true if the whole list has that form. `words_in_page` is the most words of a page.
template <class List>
class item_pages {
  using rows = item_rows<256>;

  static constexpr unsigned window_size = rows::window_size, ahead = 8;
  static constexpr unsigned few_items = 1024;  // a share may exceed another by this many
  static constexpr unsigned begins_at = List::words_in_page / 2;

  /// A page that the block will read next, and what its last row needs of the entries behind it.
  struct announced {
    page itself;
    // The items of the page; how many entries behind the page begin in its last row, and where the last of them ends.
    unsigned begin, end, behind, end_behind;
    bool is_flat;  // one item per entry
    entry next[32];
  };

 public:
#if defined(__CUDACC__)
  /// Deals out the list and looks up the block's first pages. All threads of the block call it together.
  HEDDLE_DEVICE void begin(const List& list) {
    __syncthreads();  // another loop over this memory may still read it
    if (warp::thread() == 0) deal(list);
    if (is_flat(list)) rows_.mark_flat();
    __syncthreads();
    if (is_flat(list)) return;
    if (step_ != gridDim.x) {
      find_ends();
      __syncthreads();
    }
    announce(0);
  }

  /// Goes to the next window in which this warp has a row. Returns the first item of the window and how many of its
  /// items the block has, or 0 at the end. `last` is what it returned before, or no items. All warps of the block go
  /// through the same windows, and meet in each, unless the list is flat.
  struct taken {
    unsigned window, until;
  };
  HEDDLE_DEVICE taken next(taken last) {
    if constexpr (List::begins_apart) {
      const word64 size = (list_.in_page + 31) / 32 * 32;
      if (is_flat(list_)) return take_flat(last.until == 0 ? size * blockIdx.x : last.window + size * gridDim.x, size);
    }
    return next();
  }

  /// Returns the entry of item `at` of the window.
  HEDDLE_DEVICE entry look_up(unsigned at) const {
    return rows_.look_up(at);
  }

 private:
  HEDDLE_DEVICE taken next() {
    for (;;) {
      unsigned window = window_;
      const unsigned end = end_of_rows_;
      if (end - window > window_size) {
        __syncthreads();
        window += window_size;
        if (warp::thread() == 0) window_ = window;
        rows_.clear();
        __syncthreads();
        rows_.mark(window, end, count_);
        if (is_in(window, end)) return {window, until(window, end)};
        continue;
      }
      if (end >= ends_[1].item) return {0, 0};
      const unsigned turn = turn_;
      if (turn % ahead == 0) {
        __syncthreads();
        fetch(coming_[0]);
      }
      ptx::cp_async_wait_all();
      __syncthreads();
      const announced& here = coming_[turn % ahead];
      if (here.itself.words == nullptr) return {0, 0};
      const unsigned count = here.itself.count + here.behind;
      const unsigned first_row = rows::end_of_row(here.begin), end_of_rows = rows::end_of_row(here.end);
      unsigned first = first_row > ends_[0].item ? first_row : ends_[0].item;
      unsigned last = end_of_rows < ends_[1].item ? end_of_rows : ends_[1].item;
      if (first >= last) first = last = 0;
      read(here);
      rows_.clear();
      __syncthreads();
      if (warp::thread() == 0) {
        turn_ = turn + 1;
        window_ = first;
        end_of_rows_ = last;
        count_ = count;
      }
      if ((turn + 1) % ahead != 0) fetch(coming_[(turn + 1) % ahead]);
      rows_.mark(first, last, count);
      if ((turn + 1) % ahead == 0) announce(turn + 1);
      if (is_in(first, last)) return {first, until(first, last)};
    }
  }

  /// Each entry has an item, so as many items as entries are one per entry.
  HEDDLE_DEVICE static bool is_flat(const List& list) {
    return List::begins_apart && list.places() == list.items;
  }
  /// Takes up to `size` items of a flat list from `first` on. Writes the entries that this thread will look up.
  HEDDLE_DEVICE taken take_flat(word64 first, word64 size) {
    if (first >= list_.items) return {0, 0};
    constexpr unsigned at_once = 4;
    const auto window = static_cast<unsigned>(first);
    const unsigned left = list_.items - window, count = left < size ? left : static_cast<unsigned>(size);
    const unsigned* const words = list_.words + first;
#pragma unroll 1
    for (unsigned at = warp::thread(); at < count; at += at_once * warp::threads_in_block()) {
      unsigned sources[at_once];
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i) {
        if (const unsigned its = at + i * warp::threads_in_block(); its < count) sources[i] = ptx::ld_ca(words + its);
      }
#pragma unroll
      for (unsigned i = 0; i < at_once; ++i) {
        const unsigned its = at + i * warp::threads_in_block();
        if (its < count) rows_.write(its, {sources[i], window + its});
      }
    }
    return {window, count};
  }

  HEDDLE_DEVICE static unsigned until(unsigned window, unsigned end) {
    return end - window < window_size ? end - window : window_size;
  }
  HEDDLE_DEVICE static bool is_in(unsigned window, unsigned end) {
    return warp::thread() - warp::lane() < until(window, end);
  }

  /// Decides whether blocks take pages in turns, and sets the block's part for that. One thread calls it.
  HEDDLE_DEVICE void deal(const List& list) {
    const unsigned items = list.items, share = items / gridDim.x;
    const unsigned count = list.pages(), turns = (count - 1) / gridDim.x + 1;
    // With several turns few blocks have a page in the last one; a single turn takes as long as its longest page.
    const unsigned uneven = few_items + share / (turns > 1 ? 4 : 32);
    const bool in_turns = are_even(list.largest, items, turns) && turns * (items / count) <= share + uneven;
    list_ = list;
    step_ = in_turns ? gridDim.x : 1;
    ends_[0] = {0, blockIdx.x, 0};
    ends_[1] = {items, count, 0};
    turn_ = window_ = end_of_rows_ = count_ = 0;
  }

  /// One warp finds the start of the block's run, another its end.
  HEDDLE_DEVICE void find_ends() {
    using its_price = price<granularity::thread>;
    const unsigned items = list_.items, warps = warp::threads_in_block() / 32;
    const unsigned all = its_price::through(items, list_.places() - 1), each = (all - 1) / gridDim.x + 1;
    for (unsigned which = warp::thread() / 32; which < 2; which += warps) {
      const word64 target = word64{each} * (blockIdx.x + which);
      border found{items, list_.pages(), 0};
      if (target < all) found = list_.template find_border<its_price>(static_cast<unsigned>(target));
      if (found.item > items) found.item = items;
      if (blockIdx.x + which == 0) found.item = 0;
      if (warp::lane() == 0) ends_[which] = found;
    }
  }

  /// Looks up the next `ahead` pages, one per warp at a time, so that the latency of these reads is paid once for all.
  HEDDLE_DEVICE void announce(unsigned turn) {
#pragma unroll 1
    for (unsigned i = warp::thread() / 32; i < ahead; i += warp::threads_in_block() / 32) {
      const word64 number = ends_[0].page + word64{turn + i} * step_;
      if (number > ends_[1].page || number >= list_.pages()) {
        if (warp::lane() == 0) {
          coming_[i].itself = {};
          coming_[i].is_flat = true;  // `fetch` reads it of a page without entries, too
        }
        continue;
      }
      page there = list_.page_at(static_cast<unsigned>(number));
      // A run ends with a whole row: up to 31 entries behind the border have items in it.
      there = there.part(number == ends_[0].page ? ends_[0].entry / 8 * 8 : 0,
                         number == ends_[1].page ? ends_[1].entry + 32 : there.count);
      announce(coming_[i], there);
    }
  }

  HEDDLE_DEVICE void announce(announced& coming, page there) const {
    if (warp::lane() == 0) coming.itself = there;
    const unsigned lane = warp::lane(),
                   items = ends_[1].item;  // later items belong to another block, or found no room
    const unsigned border = there.count == 0 ? 0 : there.border(lane == 0 ? 0 : there.count);
    unsigned begin = __shfl_sync(warp::all, border, 0), end = __shfl_sync(warp::all, border, 1);
    const bool is_flat = end - begin == there.count && end != no_end;
    if (begin > items) begin = items;
    if (end > items) end = items;
    const unsigned end_of_rows = rows::end_of_row(begin) < rows::end_of_row(end) ? rows::end_of_row(end) : end;
    unsigned behind = 0, end_behind = end;
#pragma unroll 1
    while (end_behind < end_of_rows && end_behind < items) {
      there = list_.page_after(there);
      entry its{0, no_end};
      if (lane < there.count) its = there.read(lane);
      const bool is_in_row = its.begin < end_of_rows;
      if (is_in_row) coming.next[behind + lane] = its;
      const auto found = static_cast<unsigned>(__popc(__ballot_sync(warp::all, is_in_row)));
      behind += found;
      end_behind = found < 32 && found < there.count ? __shfl_sync(warp::all, its.begin, found) : there.border(found);
    }
    if (lane == 0) {
      coming.begin = begin;
      coming.end = end;
      coming.behind = behind;
      coming.end_behind = end_behind;
      coming.is_flat = is_flat;
    }
  }

  /// Starts to copy the words of a page to shared memory. Begins apart are not copied if each entry has one item.
  HEDDLE_DEVICE void fetch(const announced& next) {
    const page& there = next.itself;
    fetch(words_, there.words, there.count * there.form.bytes());
    if (List::begins_apart && !next.is_flat) fetch(words_ + begins_at, there.words + there.form.base, there.count * 4);
  }

  HEDDLE_DEVICE static void fetch(unsigned* to, const unsigned* from, unsigned bytes) {
#pragma unroll 1
    for (unsigned at = 16 * warp::thread(); at < bytes; at += 16 * warp::threads_in_block()) {
      ptx::cp_async(to + at / 4, from + at / 4, bytes - at < 16 ? bytes - at : 16);
    }
  }

  /// Writes the entries of the page, those behind it, and the end of the last one.
  HEDDLE_DEVICE void read(const announced& here) {
    const unsigned count = here.itself.count + here.behind;
    page itself = here.itself;
    itself.words = words_;
    if (List::begins_apart) itself.form = entry_form::apart(begins_at);
#pragma unroll 1
    for (unsigned at = warp::thread(); at <= count; at += warp::threads_in_block()) {
      entry its{0, here.end_behind};
      if (at < itself.count) {
        its = itself.read(at);
        if (List::begins_apart && here.is_flat) its.begin = here.begin + at;
      } else if (at < count) {
        its = here.next[at - itself.count];
      }
      rows_.write(at, its);
    }
  }

#endif

 private:
  alignas(16) unsigned words_[List::words_in_page];  // the next page, as memory has it
  rows rows_;
  announced coming_[ahead];
  List list_;
  border ends_[2];  // the begin and the end of the block's part
  unsigned step_;   // from one page of the block to its next
  unsigned turn_;   // of the next page
  // Of this page: the first item of the window, the end of the rows, and the entries.
  unsigned window_, end_of_rows_, count_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

#pragma once

#include <heddle/detail/as_range.hpp>
#include <heddle/detail/check.hpp>
#include <heddle/detail/ptx.hpp>
#include <heddle/expand/detail/item_unit.hpp>
#include <heddle/expand/detail/price.hpp>
#include <heddle/expand/item.hpp>

namespace heddle::inline HEDDLE_ABI::detail::expand {

/// So many threads of a multiprocessor read a list at once; more get in each other's way. Where 2^22 sources have 16
/// items each, the second pass, a store of each item, takes 156 us on an H200 with so many, 174 with 2048.
inline constexpr unsigned page_readers = 1536;

/// Shared memory through which a block reads a list that is sorted by items: page by page, and of a page a window of
/// items after another.
///
/// A window is rows of 32 items. Of a row is known which entry has its first item, and where the others in it begin:
///
///   entries begin at 3, 20 | 33, 37, 64      row 32: the second entry, and marks from bit 0 on, 0100010
///                                            item 32 has the second entry, 33 to 36 the third, 37 to 63 the fourth
///
/// Rows are whole: the last one of a page goes on into the next.
///
/// Where nobody has pushed very much, pages are dealt out in turns: all blocks are then in one region. Else each block
/// takes a run of the list that is as much work as every other.
///
/// A list has `items` in `places()`, of which some may be empty, and `pages()`. For a whole warp, `page_at(number)`
/// is one of them, `page_after(page)` the next that has entries, and `find_border<Price>(target)` the border there.
/// `largest` says how uneven it is, and `begins_apart` whether all of it is written in this form.
template <class List>
class pages {
  static constexpr unsigned most_rows = 256, window_size = 32 * most_rows, ahead = 8;
  static constexpr unsigned few_items = 1024;  // are done at once
  static constexpr unsigned begins_at = List::words_in_page / 2;

  /// Of 32 items: the entry of the first, and a mark where another begins.
  struct alignas(8) row {
    unsigned first, marks;
  };

  /// A page and its items, the entries behind it that begin in its last row, and where the last of these ends.
  struct announced {
    page itself;
    unsigned begin, end, behind, end_behind;
    bool is_flat;  // an item each
    entry next[32];
  };

 public:
#if defined(__CUDACC__)
  HEDDLE_DEVICE void begin(const List& list) {
    __syncthreads();  // somebody may still be where this memory was in use before
    if (warp::thread() == 0) deal(list);
    __syncthreads();
    if (step_ != gridDim.x) {
      find_ends();
      __syncthreads();
    }
    announce(0);
  }

  /// The next window in which this warp has a row, and how much of it the block has; none is 0. For whole warps, and
  /// all of them as often.
  struct taken {
    unsigned window, until;
  };
  HEDDLE_DEVICE taken next() {
    for (;;) {
      unsigned window = window_;
      const unsigned end = end_of_rows_;
      if (end - window > window_size) {
        __syncthreads();
        window += window_size;
        if (warp::thread() == 0) window_ = window;
        clear_rows();
        __syncthreads();
        mark(window, end, count_);
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
      const unsigned first_row = end_of_row(here.begin), end_of_rows = end_of_row(here.end);
      unsigned first = first_row > ends_[0].item ? first_row : ends_[0].item;
      unsigned last = end_of_rows < ends_[1].item ? end_of_rows : ends_[1].item;
      if (first >= last) first = last = 0;
      read(here);
      clear_rows();
      __syncthreads();
      if (warp::thread() == 0) {
        turn_ = turn + 1;
        window_ = first;
        end_of_rows_ = last;
        count_ = count;
      }
      if ((turn + 1) % ahead != 0) fetch(coming_[(turn + 1) % ahead]);
      mark(first, last, count);
      if ((turn + 1) % ahead == 0) announce(turn + 1);
      if (is_in(first, last)) return {first, until(first, last)};
    }
  }

  /// The entry that an item of the window has.
  HEDDLE_DEVICE entry look_up(unsigned at) const {
    const row its = rows_[at / 32];
    return entries_[its.first + static_cast<unsigned>(__popc(its.marks & ~(~1u << at % 32)))];
  }

 private:
  HEDDLE_DEVICE static unsigned end_of_row(unsigned item) {
    return item + -item % 32;
  }
  HEDDLE_DEVICE static unsigned until(unsigned window, unsigned end) {
    return end - window < window_size ? end - window : window_size;
  }
  HEDDLE_DEVICE static bool is_in(unsigned window, unsigned end) {
    return warp::thread() - warp::lane() < until(window, end);
  }

  /// For one thread: what the block has, if it is dealt out in turns.
  HEDDLE_DEVICE void deal(const List& list) {
    const unsigned items = list.items, share = items / gridDim.x;
    const unsigned count = list.pages(), turns = (count - 1) / gridDim.x + 1;
    // Of several turns the last is quick where few blocks have one; a single one is as long as its pages.
    const unsigned uneven = few_items + share / (turns > 1 ? 4 : 32);
    const bool in_turns = are_even(list.largest, items, turns) && turns * (items / count) <= share + uneven;
    list_ = list;
    step_ = in_turns ? gridDim.x : 1;
    ends_[0] = {0, blockIdx.x, 0};
    ends_[1] = {items, count, 0};
    turn_ = window_ = end_of_rows_ = count_ = 0;
  }

  /// Where a run begins and where the next one does, each by a warp.
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

  /// The next few pages, each by a warp: what it takes to know them takes its time.
  HEDDLE_DEVICE void announce(unsigned turn) {
#pragma unroll 1
    for (unsigned i = warp::thread() / 32; i < ahead; i += warp::threads_in_block() / 32) {
      const word64 number = ends_[0].page + word64{turn + i} * step_;
      page there{};
      if (number <= ends_[1].page && number < list_.pages()) there = list_.page_at(static_cast<unsigned>(number));
      // A run ends at the end of a row: of up to 31 entries behind the border there are items before it.
      there = there.part(number == ends_[0].page ? ends_[0].entry / 8 * 8 : 0,
                         number == ends_[1].page ? ends_[1].entry + 32 : there.count);
      announce(coming_[i], there);
    }
  }

  HEDDLE_DEVICE void announce(announced& coming, page there) const {
    if (warp::lane() == 0) coming.itself = there;
    const unsigned lane = warp::lane(), items = ends_[1].item;  // behind these is another block's, or no room
    const unsigned border = there.count == 0 ? 0 : there.border(lane == 0 ? 0 : there.count);
    unsigned begin = __shfl_sync(warp::all, border, 0), end = __shfl_sync(warp::all, border, 1);
    const bool is_flat = end - begin == there.count && end != no_end;
    if (begin > items) begin = items;
    if (end > items) end = items;
    const unsigned end_of_rows = end_of_row(begin) < end_of_row(end) ? end_of_row(end) : end;
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

  /// Asks for the words of a page; where its entries have an item each, not for the begins, if they are apart.
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

  /// The entries of the page, those behind it, and where they end.
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
      entries_[at] = its;
    }
  }

  HEDDLE_DEVICE void clear_rows() {
#pragma unroll 1
    for (unsigned at = warp::thread(); at < most_rows; at += warp::threads_in_block()) rows_[at].marks = 0;
  }

  /// The rows of the window.
  HEDDLE_DEVICE void mark(unsigned window, unsigned end_of_rows, unsigned count) {
    const unsigned lane = warp::lane(), begin_of_all = end_of_rows > 0 ? entries_[0].begin : 0;
    if (end_of_rows > 0 && entries_[count - 1].begin - begin_of_all == count - 1 &&
        entries_[count].begin - begin_of_all == count) {  // an item each
#pragma unroll 1
      for (unsigned at = warp::thread(); at < most_rows; at += warp::threads_in_block()) {
        rows_[at] = {window - begin_of_all + 32 * at, ~1u};
      }
      count = 0;
    }
#pragma unroll 1
    for (unsigned from = warp::thread() - lane; end_of_rows > 0 && from < count; from += warp::threads_in_block()) {
      const unsigned number = from + lane < count ? from + lane : count;  // the last is without items
      const unsigned begin = in_window(entries_[number].begin, window);
      const unsigned end = number < count ? in_window(entries_[number + 1].begin, window) : begin;
      mark(begin / 32, begin % 32 == 0 ? 0 : 1u << begin % 32);
      const unsigned end_row = (end + 31) / 32;
      unsigned its_row = (begin + 31) / 32;
      constexpr unsigned few = 4;
      const bool are_many = its_row + few < end_row;
#pragma unroll 1
      for (; its_row < end_row && !are_many; ++its_row) rows_[its_row].first = number;
#pragma unroll 1
      for (unsigned left = __ballot_sync(warp::all, are_many); left != 0; left &= left - 1) {
        const int of = __ffs(static_cast<int>(left)) - 1;
        const unsigned last = __shfl_sync(warp::all, end_row, of), who = __shfl_sync(warp::all, number, of);
#pragma unroll 1
        for (unsigned at = __shfl_sync(warp::all, its_row, of) + lane; at < last; at += 32) rows_[at].first = who;
      }
    }
    __syncthreads();
  }

  HEDDLE_DEVICE static unsigned in_window(unsigned item, unsigned window) {
    const unsigned at = item > window ? item - window : 0;
    return at < window_size ? at : window_size;
  }

  /// For a whole warp, whose rows grow with its lanes. Where many of them are in one they would wait for each other.
  HEDDLE_DEVICE void mark(unsigned its_row, unsigned bit) {
    const unsigned first = __shfl_sync(warp::all, its_row, 0), last = __shfl_sync(warp::all, its_row, 31);
    if (last - first < 4) {
#pragma unroll 1
      for (unsigned at = first; at <= last; ++at) {
        const unsigned bits = ptx::redux_sync_or(warp::all, at == its_row ? bit : 0);
        if (bits != 0 && warp::lane() == 0) atomicOr(&rows_[at].marks, bits);
      }
    } else if (bit != 0) {
      atomicOr(&rows_[its_row].marks, bit);
    }
  }
#endif

 private:
  alignas(16) unsigned words_[List::words_in_page];  // of the page to come
  alignas(8) entry entries_[most_in_page + 32 + 1];
  row rows_[most_rows];
  announced coming_[ahead];
  List list_;
  border ends_[2];  // of what the block has
  unsigned step_;   // from a page of its to the next
  unsigned turn_;   // of the next page
  unsigned window_, end_of_rows_, count_;
};

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
  HEDDLE_DEVICE unsigned slot() const { return window_ + at_; }

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

#pragma once

#include <heddle/expand/detail/list_page.hpp>
#include <heddle/expand/detail/ptx.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

/// Keeps the entries of one page in shared memory, and a window of their items as rows of 32. A row has the entry of
/// its first item, and a mark for each item at which another entry begins:
///
///   entries begin at 3, 20 | 33, 37, 64      row of items 32 to 63: the second entry; marks from bit 0 on: 0100010
///                                            item 32 has the second entry, 33 to 36 the third, 37 to 63 the fourth
///
/// An item finds its entry with two reads of shared memory and a population count.
template <unsigned Rows>
class item_rows {
  /// 32 items: the entry of the first, and a bit for each item at which another entry begins.
  struct alignas(8) row {
    unsigned first, marks;
  };

 public:
  static constexpr unsigned window_size = 32 * Rows;

  /// Returns the item rounded up to a multiple of 32.
  HEDDLE_FN static unsigned end_of_row(unsigned item) { return item + -item % 32; }

#if defined(__CUDACC__)
  /// Returns the entry of item `at` of the window.
  HEDDLE_DEVICE entry look_up(unsigned at) const {
    const row its = rows_[at / 32];
    return entries_[its.first + static_cast<unsigned>(__popc(its.marks & ~(~1u << at % 32)))];
  }

  HEDDLE_DEVICE void write(unsigned at, entry its) {
    entries_[at] = its;
  }

  HEDDLE_DEVICE void clear() {
#pragma unroll 1
    for (unsigned at = warp::thread(); at < Rows; at += warp::threads_in_block()) rows_[at].marks = 0;
  }

  /// Writes the rows of a page with one item per entry, from entry 0 on. No window changes them.
  HEDDLE_DEVICE void mark_flat() {
#pragma unroll 1
    for (unsigned at = warp::thread(); at < most_in_page / 32; at += warp::threads_in_block()) {
      rows_[at] = {32 * at, ~1u};
    }
  }

  /// Marks the rows of the window that begins at item `window`, for the items of `count` entries up to `end_of_rows`.
  /// All threads of the block call it, after a barrier that follows `write` and `clear`. It ends with a barrier.
  HEDDLE_DEVICE void mark(unsigned window, unsigned end_of_rows, unsigned count) {
    const unsigned lane = warp::lane(), begin_of_all = end_of_rows > 0 ? entries_[0].begin : 0;
    if (end_of_rows > 0 && entries_[count - 1].begin - begin_of_all == count - 1 &&
        entries_[count].begin - begin_of_all == count) {  // one item per entry
#pragma unroll 1
      for (unsigned at = warp::thread(); at < Rows; at += warp::threads_in_block()) {
        rows_[at] = {window - begin_of_all + 32 * at, ~1u};
      }
      count = 0;
    }
#pragma unroll 1
    for (unsigned from = warp::thread() - lane; end_of_rows > 0 && from < count; from += warp::threads_in_block()) {
      const unsigned number = from + lane < count ? from + lane : count;  // spare lanes: the end, an entry of no items
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
        const unsigned last = __shfl_sync(warp::all, end_row, of), its_entry = __shfl_sync(warp::all, number, of);
#pragma unroll 1
        for (unsigned at = __shfl_sync(warp::all, its_row, of) + lane; at < last; at += 32) rows_[at].first = its_entry;
      }
    }
    __syncthreads();
  }

 private:
  HEDDLE_DEVICE static unsigned in_window(unsigned item, unsigned window) {
    const unsigned at = item > window ? item - window : 0;
    return at < window_size ? at : window_size;
  }

  /// Sets one mark per lane. All lanes of the warp call it, with rows that do not decrease from lane to lane. Lanes of
  /// one row combine their bits first, since atomics to one word wait for each other.
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
  alignas(8) entry entries_[most_in_page + 32 + 1];  // the page's, those behind it in its last row, and their end
  row rows_[Rows];
};

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

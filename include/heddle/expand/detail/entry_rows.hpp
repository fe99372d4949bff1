#pragma once

#include <heddle/expand/detail/list_page.hpp>
#include <heddle/expand/detail/ptx.hpp>
#include <heddle/expand/detail/warp.hpp>

// Items of sources that a warp sees in its registers, one source per lane, in rows of 32.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

using level_entry = entry;

#if defined(__CUDACC__)

/// Calls `row(source, rank, is_item)` in all lanes for the items from `begin` to `until` of 32 entries that follow one
/// another, one per lane.
template <class Row>
HEDDLE_DEVICE void for_rows_of(level_entry mine, unsigned begin, unsigned until, Row row) {
  for (; begin < until; begin += 32) {
    // An item's entry: those that begin up to the row's first item, and those that begin in the row up to the item.
    const bool begins_here = mine.begin > begin && mine.begin - begin < 32;
    const unsigned marks = ptx::redux_sync_or(warp::all, begins_here ? 1u << (mine.begin - begin) : 0u);
    const int before = __popc(__ballot_sync(warp::all, mine.begin <= begin));
    const int owner = before - 1 + __popc(marks & (ptx::lanemask_lt() * 2 + 1));
    const unsigned source = __shfl_sync(warp::all, mine.source, owner);
    const unsigned its_begin = __shfl_sync(warp::all, mine.begin, owner);
    row(source, begin + warp::lane() - its_begin, warp::lane() < until - begin);
  }
}

/// Returns an index at most 30 before that of the source that has an item: of 32 ways one remains in each step. `list`
/// has its sources, its items and each entry: `at(i)`.
template <class List>
HEDDLE_DEVICE unsigned source_near(const List& list, unsigned item) {
  unsigned first = 0, count = list.sources();
  while (count > 31) {
    const unsigned step = (count - 1) / 32 + 1, ahead = warp::lane() * step;
    const bool before = ahead < count && list.at(first + ahead).begin <= item;
    const unsigned skipped = (static_cast<unsigned>(__popc(__ballot_sync(warp::all, before))) - 1) * step;
    count = count - skipped < step ? count - skipped : step;
    first += skipped;
  }
  return first;
}

/// Does as `for_rows_of` for the items from `begin` to `end` of a list. Each lane has one of 32 entries; the last one
/// only ends the others. Entries are looked for first where they are if all sources have as many items.
template <class List, class Row>
HEDDLE_DEVICE void for_rows_of_list(const List& list, unsigned begin, unsigned end, Row row) {
  const auto entry_at = [&](unsigned i) { return i < list.sources() ? list.at(i) : level_entry{0, list.items()}; };
  const auto near = static_cast<unsigned>(static_cast<float>(list.sources()) / static_cast<float>(list.items()) *
                                          static_cast<float>(begin));
  unsigned first = near < 15 ? 0 : near - 15;
  level_entry mine = entry_at(first + warp::lane());
  if ((__ballot_sync(warp::all, mine.begin <= begin) & 0x80000001u) != 1) {
    first = source_near(list, begin);
    mine = entry_at(first + warp::lane());
  }
  while (true) {
    const unsigned last = __shfl_sync(warp::all, mine.begin, 31), until = last < end ? last : end;
    for_rows_of(mine, begin, until, row);
    if (until == end) break;
    begin = until;
    first += 31;
    mine = entry_at(first + warp::lane());
  }
}

#endif

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

#pragma once

#include <heddle/detail/state.hpp>
#include <heddle/detail/tape.hpp>
#include <heddle/expand/granularity.hpp>

// How much of a list each warp takes: as much work as every other, where entries are work as well as items.

namespace heddle::inline v0::detail {

#if defined(__CUDACC__)

/// What has been spent when an entry is over. A warp's share begins in the first entry through which more is spent than
/// the shares before it are, and ends where the next begins.
///
/// Here for threads, which take rows of 32 items. 32 entries cost as much as four rows: where one source of 2^22 has
/// nearly all items and half of the others have one, a store of each takes 266 us on an H200 if entries cost nothing,
/// 200 if they cost two rows, 198 at four. In units of eight items, so that what a list costs is a number of 32 bits.
template <granularity Granularity>
struct price {
  HEDDLE_DEVICE static unsigned through(unsigned end, unsigned place) { return end / 8 + place / 2 + 1; }

  /// The items before the border: those of the entry cost 1 each, after what comes before them is paid for. Nobody
  /// shares a row.
  HEDDLE_DEVICE static unsigned border(unsigned target, unsigned begin, unsigned end, unsigned place) {
    const unsigned before = through(begin, place), past = target > before ? target - before : 0;
    const unsigned item = past <= (end - begin) / 8 && target < through(end, place) ? begin + past * 8 : end;
    return item < no_end - 31 ? item + -item % 32 : no_end;
  }
};

/// For warps and blocks, which take an item at a time.
template <granularity Granularity>
requires(Granularity != granularity::thread) struct price<Granularity> {
  HEDDLE_DEVICE static unsigned through(unsigned end, unsigned) { return end; }
  HEDDLE_DEVICE static unsigned border(unsigned target, unsigned, unsigned, unsigned) { return target; }
};

/// The entry of a list in which a border lies, for a whole warp: every step leaves a 32nd of them. The last one, if
/// more is spent.
struct found_entry {
  unsigned number, begin, end;
};
template <class Price>
HEDDLE_DEVICE found_entry find(const entry* entries, unsigned size, unsigned first_begin, unsigned first_place,
                               unsigned target) {
  unsigned first = 0;
  while (size > 1) {
    const unsigned step = size / 32 + (size % 32 > 0 ? 1 : 0), last = (warp::lane() + 1) * step - 1, at = first + last;
    const bool before =
        last < size - 1 && Price::through(entries[at].end_from(first_begin), first_place + at) <= target;
    const unsigned skipped = static_cast<unsigned>(__popc(__ballot_sync(warp::all, before))) * step;
    first += skipped;
    size = size - skipped < step ? size - skipped : step;
  }
  return {first, first == 0 ? first_begin : entries[first - 1].end_from(first_begin),
          entries[first].end_from(first_begin)};
}

#endif

}  // namespace heddle::inline v0::detail

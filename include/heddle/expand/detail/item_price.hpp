#pragma once

#include <heddle/expand/detail/list_page.hpp>
#include <heddle/granularity.hpp>

// How much of a list each unit takes: as much work as every other, where entries are work as well as items.

namespace heddle::inline HEDDLE_ABI::detail::expand {

#if defined(__CUDACC__)

/// What has been spent when an entry is over. A unit's share begins in the first entry through which more is spent than
/// the shares before it are, and ends where the next begins.
///
/// Here for threads, whose blocks take rows of items: 32 entries cost as much as 128 items. In units of eight items, so
/// that what a list costs is a number of 32 bits.
template <granularity Granularity>
struct price {
  HEDDLE_DEVICE static unsigned through(unsigned end, unsigned place) { return end / 8 + place / 2 + 1; }

  /// The items before the border: those of the entry cost 1 each, after what comes before them is paid for. Nobody
  /// shares a row of 32.
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

/// The entry in which a border lies, for a whole warp: every step leaves a 32nd of them. The last one, if more is
/// spent. The first entry is in the list's place `first_place`.
template <class Price>
HEDDLE_DEVICE unsigned find(const page& in, unsigned first_place, unsigned target) {
  unsigned first = 0, size = in.count;
  while (size > 1) {
    const unsigned step = size / 32 + (size % 32 > 0 ? 1 : 0), last = (warp::lane() + 1) * step - 1, at = first + last;
    const bool before = last < size - 1 && Price::through(in.end_of(at), first_place + at) <= target;
    const unsigned skipped = static_cast<unsigned>(__popc(__ballot_sync(warp::all, before))) * step;
    first += skipped;
    size = size - skipped < step ? size - skipped : step;
  }
  return first;
}

#endif

}  // namespace heddle::inline HEDDLE_ABI::detail::expand

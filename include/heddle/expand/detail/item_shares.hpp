#pragma once

#include <heddle/expand/detail/list_page.hpp>
#include <heddle/granularity.hpp>

// Equal shares of a list for all units. Entries cost work, and so do items.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

#if defined(__CUDACC__)

/// Costs of a list from its start. `through(end, place)` is the cost of all entries up to the one in this place, whose
/// items end at `end`. `border(target, begin, end, place)` is the item before which that cost reaches `target`, if this
/// happens in the entry in `place`, which has the items from `begin` to `end`. A unit's share begins at such a border
/// and ends at the next.
///
/// For threads, whose blocks take rows of items: 32 entries cost as much as 128 items. The unit of cost is eight items,
/// so that the cost of a list fits in 32 bits.
template <granularity Granularity>
struct price {
  HEDDLE_DEVICE static unsigned through(unsigned end, unsigned place) { return end / 8 + place / 2 + 1; }

  /// Within an entry, eight items cost 1, once the entry itself is paid for. The border is rounded up to a row of 32,
  /// so that no two blocks share one.
  HEDDLE_DEVICE static unsigned border(unsigned target, unsigned begin, unsigned end, unsigned place) {
    const unsigned before = through(begin, place), past = target > before ? target - before : 0;
    const unsigned item = past <= (end - begin) / 8 && target < through(end, place) ? begin + past * 8 : end;
    return item < no_end - 31 ? item + -item % 32 : no_end;
  }
};

/// For warps and blocks, which take single items: an item costs 1, and an entry nothing.
template <granularity Granularity>
requires(Granularity != granularity::thread) struct price<Granularity> {
  HEDDLE_DEVICE static unsigned through(unsigned end, unsigned) { return end; }
  HEDDLE_DEVICE static unsigned border(unsigned target, unsigned, unsigned, unsigned) { return target; }
};

/// Returns the entry in which a border lies, or the last one if all of them cost less than `target`. All lanes of the
/// warp search together, and every step leaves one 32nd of the entries. Entry 0 is in place `first_place` of the list.
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

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

#pragma once

#include <heddle/expand/detail/source_slabs.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

/// The entries of all slabs as one list. Each slab has `pitch` places, not all of them used, in one or more pages.
struct slab_list {
  static constexpr bool begins_apart = false;
  static constexpr unsigned words_in_page = most_in_page;

  const slabs* all;
  unsigned blocks, filled, pitch, items, largest, in_page;

#if defined(__CUDACC__)
  HEDDLE_DEVICE unsigned places() const {
    return filled * pitch;
  }
  HEDDLE_DEVICE unsigned pages() const {
    return filled * of_slab();
  }

  HEDDLE_DEVICE page page_at(unsigned number) const {
    const unsigned its = number / of_slab();
    const slab there = all->of(its);  // before the sums, so that both loads are in flight at once
    return part(number, whole(its, all->items_before(blocks, its), there));
  }

  HEDDLE_DEVICE page page_after(const page& from) const {
    unsigned its = from.number / of_slab();
    if (from.goes_on) return part(from.number + 1, whole(its, from.begin, all->of(its)));
#pragma unroll 1
    for (++its; its < filled; its += 32) {
      const unsigned mine = its + warp::lane() < filled ? its + warp::lane() : filled - 1;
      const slab there = all->of(mine);
      const unsigned some = __ballot_sync(warp::all, there.all.items() > 0 && mine == its + warp::lane());
      if (some == 0) continue;
      const int first = __ffs(static_cast<int>(some)) - 1;
      its += static_cast<unsigned>(first);
      return part(
          its * of_slab(),
          whole(its, from.end,
                {{__shfl_sync(warp::all, there.all.word, first)},
                 {__shfl_sync(warp::all, there.form.base, first), __shfl_sync(warp::all, there.form.bits, first)}}));
    }
    return {};
  }

  template <class Price>
  HEDDLE_DEVICE border find_border(unsigned target) const {
    const auto [number, begin] = all->find_slab<Price>(blocks, filled, pitch, target);
    const unsigned place = number * pitch;
    const page there = whole(number, begin, all->of(number));
    if (there.count == 0) return {Price::border(target, there.begin, there.begin, place), number * of_slab(), 0};
    const unsigned at = find<Price>(there, place, target);
    return {Price::border(target, there.begin_of(at), there.end_of(at), place + at), number * of_slab() + at / in_page,
            at % in_page};
  }

  /// Returns the first item of the source that has `item`.
  HEDDLE_DEVICE unsigned begin_of(unsigned item) const {
    const border found = find_border<price<granularity::warp>>(item);
    return page_at(found.page).begin_of(found.entry);
  }

 private:
  /// Returns the pages of a slab.
  HEDDLE_DEVICE unsigned of_slab() const {
    return (pitch - 1) / in_page + 1;
  }

  /// Returns a slab as one page.
  HEDDLE_DEVICE page whole(unsigned number, word64 begin, slab there) const {
    const word64 end = begin + there.all.items();
    return {all->entries(word64{number} * pitch),
            number * of_slab(),
            there.all.sources(),
            false,
            there.form,
            clipped(begin),
            end < items ? static_cast<unsigned>(end) : items};
  }

  /// Returns page `number` of the list, out of its slab as one page.
  HEDDLE_DEVICE page part(unsigned number, const page& of) const {
    const unsigned first = (number - of.number) * in_page;
    page its = of.part(first, first + in_page);
    its.number = number;
    return its;
  }
#endif
};

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

#pragma once

#include <heddle/expand/detail/block_sum.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

/// What some threads push, the bounds of the sources that spawn, and whether these are in order: 1 if each is one more
/// than the one before.
struct source_span {
  word64 pushed;  // as `live` packs it
  unsigned least, most, is_in_order;

  HEDDLE_FN friend source_span operator+(source_span some, source_span others) {
    const bool goes_on = live{some.pushed}.sources() == 0 || others.least == some.most + 1;
    return {some.pushed + others.pushed, some.least < others.least ? some.least : others.least,
            some.most > others.most ? some.most : others.most,
            some.is_in_order != 0 && others.is_in_order != 0 && goes_on ? 1u : 0u};
  }
};

/// The span of no threads.
inline constexpr source_span no_span{0, ~0u, 0, 1};

#if defined(__CUDACC__)

/// Returns the span of a warp. In most warps the sources count up, from lane to lane and from row to row. Then the
/// first and the last bound those that spawn, and they are in order if all of them spawn.
template <unsigned Count>
HEDDLE_DEVICE source_span span_of(const unsigned (&source)[Count], const unsigned (&n)[Count], live all) {
  constexpr unsigned size = 32 * Count;
  const unsigned first = __shfl_sync(warp::all, source[0], 0);
  bool counts_up = source[0] == first + warp::lane() && first < no_end - size;
#pragma unroll
  for (unsigned i = 1; i < Count; ++i) {
    if (source[i] - source[0] != 32 * i) counts_up = false;
  }
  if (__all_sync(warp::all, counts_up)) return {all.word, first, first + size - 1, all.sources() == size ? 1u : 0u};
  unsigned least = ~0u, most = 0;
#pragma unroll
  for (unsigned i = 0; i < Count; ++i) {
    if (n[i] > 0 && source[i] < least) least = source[i];
    if (n[i] > 0 && source[i] > most) most = source[i];
  }
  return {all.word, ptx::redux_sync_min(warp::all, least), ptx::redux_sync_max(warp::all, most), 0};
}

#endif

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

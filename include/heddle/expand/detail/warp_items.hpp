#pragma once

#include <heddle/expand/detail/entry_rows.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

#if defined(__CUDACC__)

/// The items of a warp's 32 sources, one source per lane. All lanes call all of it.
template <class Number>  // unsigned; as a template it is compiled only if it is used
class warp_items {
 public:
  HEDDLE_DEVICE warp_items(unsigned first, Number n)
      : first_(first),
        n_(n),
        longest_(ptx::redux_sync_max(warp::all, n)),
        sum_(ptx::redux_sync_add(warp::all, n < most_added ? n : most_added)) {}

  /// Returns the most items of a source.
  HEDDLE_DEVICE unsigned longest() const { return longest_; }

  /// Returns the most items of a source that a warp deals out itself: fewer if it has so many that others end before.
  HEDDLE_DEVICE unsigned most_dealt() const { return sum_ > 1024 ? 16 : 64; }

  /// Visits all of them: in each lane by a loop if it takes hardly more turns than items that are dealt out, which take
  /// instructions, unless lanes are to have them in rows; or if a source has too many to add up, and found no room.
  template <bool InRows, class Visit>
  HEDDLE_DEVICE void visit(Visit& visit) const {
    if (longest_ <= 1 || (!InRows && 8 * longest_ <= sum_ * 10 / 32 + 16) || longest_ > most_added) {
      for (unsigned rank = 0; rank < n_; ++rank) visit(first_ + warp::lane(), rank);
      return;
    }
    const unsigned spawning = __ballot_sync(warp::all, n_ > 0);
    const unsigned before = warp::inclusive_sum(n_) - n_, from = nth_set_bit(spawning, warp::lane());
    level_entry mine{first_ + from, __shfl_sync(warp::all, before, static_cast<int>(from))};
    if (warp::lane() >= static_cast<unsigned>(__popc(spawning))) mine.begin = sum_;
    for_rows_of(mine, 0, sum_, [&](unsigned source, unsigned rank, bool is_item) {
      if (is_item) visit(source, rank);
    });
  }

 private:
  static constexpr Number most_added = 1 << 20;

  /// Returns the place of the n-th of the bits that are set, counted from 0; 31 if there are fewer.
  HEDDLE_DEVICE static unsigned nth_set_bit(unsigned bits, unsigned n) {
    unsigned place = 0;
#pragma unroll
    for (unsigned step = 16; step > 0; step /= 2) {
      if (static_cast<unsigned>(__popc(bits & ((1u << (place + step)) - 1))) <= n) place += step;
    }
    return place;
  }

  unsigned first_;
  Number n_, longest_, sum_;
};

#endif

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

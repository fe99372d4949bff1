#pragma once

#include <heddle/expand/detail/list_page.hpp>
#include <heddle/expand/detail/ptx.hpp>
#include <heddle/expand/detail/warp.hpp>
#include <heddle/expand/expansion.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

/// The number of sources that spawn and the number of their items, in one word. A block has fewer than 2^16 sources and
/// 2^48 items, so neither carries.
struct live {
  static constexpr unsigned bits = 48;

  word64 word = 0;

  HEDDLE_FN static live of(unsigned sources, word64 items) { return {(word64{sources} << bits) + items}; }
  HEDDLE_FN unsigned sources() const { return static_cast<unsigned>(word >> bits); }
  HEDDLE_FN word64 items() const { return word & ((word64{1} << bits) - 1); }
};

/// Shared memory for the sums of a block: one word per warp.
struct block_sums {
  word64 of_warp[32];
};

#if defined(__CUDACC__)

/// Sums of a warp that pushes one source per thread, up to each lane.
struct pushed {
  unsigned sources_before;
  word64 items_before;
  live all;  // of the whole warp; right in its last lane only

  HEDDLE_DEVICE explicit pushed(unsigned n) {
    const unsigned spawning = __ballot_sync(warp::all, n > 0);
    word64 items = 0;
    if (__any_sync(warp::all, n >> 26 != 0)) {
      items = warp::inclusive_sum(word64{n});
    } else {
      items = warp::inclusive_sum(n);  // 32 values below 2^26: the sum fits in 32 bits
    }
    sources_before = static_cast<unsigned>(__popc(spawning & ptx::lanemask_lt()));
    items_before = items - n;
    all = live::of(static_cast<unsigned>(__popc(spawning)), items);
  }
};

/// Sums of a warp that pushes `Count` sources per thread. Row i has the i-th source of every lane; row 0 comes first,
/// then row 1, and so on. 32-bit sums saturate: any source after that is past every capacity.
///
/// With `KnowsOnes` a warp with one item of each source, flat for short, adds up nothing. It has half the instructions,
/// and `Store` is compiled twice: good if that is short.
template <unsigned Count, bool KnowsOnes = false>
class pushed_rows {
  static_assert(Count <= most_of_each, "heddle: a thread pushes at most 63 sources at once");

 public:
  HEDDLE_DEVICE explicit pushed_rows(const unsigned (&n)[Count]) {
    if constexpr (KnowsOnes) {
      bool is_one = true;
#pragma unroll
      for (unsigned i = 0; i < Count; ++i) is_one = is_one && n[i] == 1;
      is_flat_ = __ballot_sync(warp::all, is_one) == warp::all;  // no lane is missing
      all = live::of(32 * Count, 32 * Count);
      if (is_flat_) return;
    }
    unsigned bits = 0, sources = 0;
#pragma unroll
    for (unsigned i = 0; i < Count; ++i) {
      bits |= n[i];
      sources += static_cast<unsigned>(__popc(__ballot_sync(warp::all, n[i] > 0)));
    }
    all = live::of(sources, __any_sync(warp::all, bits >> (half - 5) != 0) ? sum_of_large(n) : sum_of_small(n));
  }

  /// Calls `store(i, sources, items)` for the i-th source of this thread, with the number of sources that spawn, and of
  /// items, before it in its warp.
  template <class Store>
  HEDDLE_DEVICE void for_each(const unsigned (&n)[Count], Store store) const {
    if (is_flat_) {
#pragma unroll
      for (unsigned i = 0; i < Count; ++i) store(i, 32 * i + warp::lane(), 32 * i + warp::lane());
      return;
    }
    unsigned sources = 0;
#pragma unroll
    for (unsigned i = 0; i < Count; ++i) {
      const unsigned spawning = __ballot_sync(warp::all, n[i] > 0);
      store(i, sources + static_cast<unsigned>(__popc(spawning & ptx::lanemask_lt())), items_before_[i]);
      sources += static_cast<unsigned>(__popc(spawning));
    }
  }

  live all;  // of the whole warp, in every lane

 private:
  static constexpr unsigned half = 16;  // bits of half a word: 32 values below 2^11 have a sum below 2^16

  /// Adds up two rows in one scan, one in each half of a word.
  HEDDLE_DEVICE unsigned sum_of_small(const unsigned (&n)[Count]) {
    unsigned items = 0;
#pragma unroll
    for (unsigned i = 0; i < Count; i += 2) {
      const unsigned sum = warp::inclusive_sum(n[i] | (i + 1 < Count ? n[i + 1] << half : 0));
      const unsigned total = __shfl_sync(warp::all, sum, warp::last_lane()), low = total & ((1u << half) - 1);
      items_before_[i] = items + (sum & ((1u << half) - 1)) - n[i];
      if (i + 1 < Count) items_before_[i + 1] = items + low + (sum >> half) - n[i + 1];
      items += low + (total >> half);
    }
    return items;
  }

  HEDDLE_DEVICE word64 sum_of_large(const unsigned (&n)[Count]) {
    word64 items = 0;
#pragma unroll
    for (unsigned i = 0; i < Count; ++i) {
      unsigned sum = n[i];
#pragma unroll
      for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned before = __shfl_up_sync(warp::all, sum, step);
        if (warp::lane() >= step) sum = sum + before < before ? no_end : sum + before;
      }
      const unsigned before = __shfl_up_sync(warp::all, sum, 1);
      items_before_[i] = clipped(items + (warp::lane() == 0 ? 0 : before));
      items += ptx::redux_sync_add(warp::all, n[i] % (1u << half));
      items += word64{ptx::redux_sync_add(warp::all, n[i] >> half)} << half;
    }
    return items;
  }

  bool is_flat_ = false;
  unsigned items_before_[Count];
};

/// Sums of the lanes that arrive together in divergent code, up to each lane. Each of them has n > 0.
class pushed_by_some {
 public:
  HEDDLE_DEVICE explicit pushed_by_some(unsigned n) {
    lanes_ = __activemask();
    last_ = 31 - __clz(static_cast<int>(lanes_));
    const word64 items = warp::inclusive_sum_of_some(lanes_, n);
    sources_before = static_cast<unsigned>(__popc(lanes_ & ptx::lanemask_lt()));
    items_before = items - n;
    all = live::of(static_cast<unsigned>(__popc(lanes_)), items);
  }

  /// Returns what `take` returns in the one lane that takes entries for all of them. `all` is right in this lane only.
  template <class Take>
  HEDDLE_DEVICE word64 by_one(Take take) const {
    return warp::by_one(lanes_, last_, take);
  }
  HEDDLE_DEVICE unsigned lanes() const { return lanes_; }

  unsigned sources_before;
  word64 items_before;
  live all;

 private:
  unsigned lanes_;
  int last_;
};

/// Adds up what the warps of a block push. Lane w of the first warp stands for warp w and calls `of_warps(before,
/// total)` with the sum of the warps before w and that of the block. What it returns is the result in all threads of w.
///
/// **Preconditions**: all threads of the block call it together. It may be called again with the same memory: outside
/// its two barriers a warp touches only its own word.
///
/// With `FewerSteps` a block of few warps adds up in fewer steps, by more instructions. H200, 2^22 sources, one per
/// thread: the first pass of packed_prefix gains; that of power_of_two, with eight sums per thread, loses 6 %.
template <bool FewerSteps = false, class OfWarps>
HEDDLE_DEVICE word64 add_up(block_sums& shared, live all, OfWarps of_warps) {
  const unsigned warp = warp::thread() / 32, warps = (warp::threads_in_block() + 31) / 32;
  __syncwarp();  // other lanes may still read this word for the push before
  if (warp::is_last()) shared.of_warp[warp] = all.word;
  __syncthreads();
  if (warp == 0) {
    const word64 mine = warp::lane() < warps ? shared.of_warp[warp::lane()] : 0;
    const word64 sum = warp::inclusive_sum(mine, FewerSteps ? warps : 32);
    const live total{__shfl_sync(warp::all, sum, static_cast<int>(warps) - 1)};
    const word64 begin = of_warps(live{sum - mine}, total);
    if (warp::lane() < warps) shared.of_warp[warp::lane()] = begin;
  }
  __syncthreads();
  return shared.of_warp[warp];
}

#endif

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

#pragma once

#include <heddle/expand/detail/list_page.hpp>

namespace heddle::inline HEDDLE_ABI::detail::expand {

/// Sources that spawn something and their items, in one word: those of a block are fewer than 2^16 and 2^48.
struct live {
  static constexpr unsigned bits = 48;

  word64 word = 0;

  HEDDLE_FN static live of(unsigned sources, word64 items) { return {(word64{sources} << bits) + items}; }
  HEDDLE_FN unsigned sources() const { return static_cast<unsigned>(word >> bits); }
  HEDDLE_FN word64 items() const { return word & ((word64{1} << bits) - 1); }
};

/// Shared memory in which the warps of a block add up.
struct block_sums {
  word64 of_warp[32];
};

#if defined(__CUDACC__)

/// What one thread pushes, and what the lanes before it do.
struct pushed {
  unsigned sources_before;
  word64 items_before;
  live all;  // of the warp, in its last lane

  HEDDLE_DEVICE explicit pushed(unsigned n) {
    const unsigned spawning = __ballot_sync(warp::all, n > 0);
    word64 items = 0;
    if (__any_sync(warp::all, n >> 26 != 0)) {
      items = warp::inclusive_sum(word64{n});
    } else {
      items = warp::inclusive_sum(n);  // 32 of these fit in 32 bits
    }
    sources_before = static_cast<unsigned>(__popc(spawning & warp::below()));
    items_before = items - n;
    all = live::of(static_cast<unsigned>(__popc(spawning)), items);
  }
};

/// The same of several sources a thread: first all lanes' first, then all lanes' second, and so on. Sums past 32 bits
/// stay there: for nobody behind them is there room.
template <unsigned Count>
class pushed_rows {
  static_assert(Count < 64, "heddle: so many sources of a thread do not fit in a word for a block");

 public:
  HEDDLE_DEVICE explicit pushed_rows(const unsigned (&n)[Count]) {
    unsigned bits = 0, sources = 0;
#pragma unroll
    for (unsigned i = 0; i < Count; ++i) {
      bits |= n[i];
      sources += static_cast<unsigned>(__popc(__ballot_sync(warp::all, n[i] > 0)));
    }
    all = live::of(sources, __any_sync(warp::all, bits >> (half - 5) != 0) ? sum_of_large(n) : sum_of_small(n));
  }

  /// Calls `store(i, sources, items)` with how many there are before each in its warp.
  template <class Store>
  HEDDLE_DEVICE void for_each(const unsigned (&n)[Count], Store store) const {
    unsigned sources = 0;
#pragma unroll
    for (unsigned i = 0; i < Count; ++i) {
      const unsigned spawning = __ballot_sync(warp::all, n[i] > 0);
      store(i, sources + static_cast<unsigned>(__popc(spawning & warp::below())), items_before_[i]);
      sources += static_cast<unsigned>(__popc(spawning));
    }
  }

  live all;  // of the warp

 private:
  static constexpr unsigned half = 16;  // of a word: 32 that are below 2^11 add up to no more

  /// Two rows in one sum.
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

  unsigned items_before_[Count];
};

/// The same for the lanes that happen to be together: they must all push something.
class pushed_by_some {
 public:
  HEDDLE_DEVICE explicit pushed_by_some(unsigned n) {
    lanes_ = __activemask();
    last_ = 31 - __clz(static_cast<int>(lanes_));
    const word64 items = warp::inclusive_sum_of_some(lanes_, n);
    sources_before = static_cast<unsigned>(__popc(lanes_ & warp::below()));
    items_before = items - n;
    all = live::of(static_cast<unsigned>(__popc(lanes_)), items);
  }

  /// Of the one that takes for all of them: here `all` is right.
  HEDDLE_DEVICE bool takes() const { return static_cast<int>(warp::lane()) == last_; }
  HEDDLE_DEVICE word64 from_taker(word64 word) const { return __shfl_sync(lanes_, word, last_); }
  HEDDLE_DEVICE unsigned lanes() const { return lanes_; }

  unsigned sources_before;
  word64 items_before;
  live all;

 private:
  unsigned lanes_;
  int last_;
};

/// For every thread of the block together: two barriers. The lanes of the first warp stand for the warps and call
/// `of_warps(before, total)`: what the warps before push, and the whole block. Each warp gets what its lane returns.
///
/// May be called again with the same memory: outside of the barriers a warp touches only what is its own.
template <class OfWarps>
HEDDLE_DEVICE word64 add_up(block_sums& shared, live all, OfWarps of_warps) {
  const unsigned warp = warp::thread() / 32, warps = (warp::threads_in_block() + 31) / 32;
  __syncwarp();  // behind what its other lanes have read, in a push before
  if (warp::is_last()) shared.of_warp[warp] = all.word;
  __syncthreads();
  if (warp == 0) {
    const word64 mine = warp::lane() < warps ? shared.of_warp[warp::lane()] : 0;
    const word64 sum = warp::inclusive_sum(mine);
    const live total{__shfl_sync(warp::all, sum, static_cast<int>(warps) - 1)};
    const word64 begin = of_warps(live{sum - mine}, total);
    if (warp::lane() < warps) shared.of_warp[warp::lane()] = begin;
  }
  __syncthreads();
  return shared.of_warp[warp];
}

#endif

}  // namespace heddle::inline HEDDLE_ABI::detail::expand

#pragma once

#include <heddle/expand/detail/block_sum.hpp>

namespace heddle::inline HEDDLE_ABI::detail::expand {

inline constexpr int bucket_count = 32;  // as many as n has bits

/// Shared memory in which the warps of a block add up what they have for each bucket.
struct bucket_sums {
  block_sums all;
  bool whole;  // there is room for all of the block
  unsigned first[bucket_count];
  unsigned bits[32];                   // of each warp: which buckets it has something for
  unsigned of_warp[32][bucket_count];  // how much, and then what the warps before it have

#if defined(__CUDACC__)
  /// For a warp together: how many lanes have something for which bucket.
  template <class Word>  // unsigned; a template is compiled only where it is used
  HEDDLE_DEVICE void count(Word n) {
    const unsigned warp = warp::thread() / 32, any = ptx::redux_sync_or(warp::all, n);
    __syncwarp();  // behind what its other lanes have read, in a push before
    if (warp::lane() == 0) bits[warp] = any;
    for (unsigned left = any; left != 0; left &= left - 1) {
      const int bucket = __ffs(static_cast<int>(left)) - 1;
      const auto lanes = static_cast<unsigned>(__popc(__ballot_sync(warp::all, (n >> bucket & 1) != 0)));
      if (warp::lane() == 0) of_warp[warp][bucket] = lanes;
    }
  }

  /// For the first warp, when all have counted: `take(bucket, entries)` is the first of so many.
  template <class Take>
  HEDDLE_DEVICE void take_all(Take take) {
    const unsigned threads = warp::threads_in_block(), lanes = threads < 32 ? threads : 32;
    for (unsigned bucket = warp::lane(); bucket < bucket_count; bucket += lanes) {
      unsigned sum = 0;
      for (unsigned warp = 0; warp * 32 < threads; ++warp) {
        if ((bits[warp] >> bucket & 1) == 0) continue;
        const unsigned its = of_warp[warp][bucket];
        of_warp[warp][bucket] = sum;
        sum += its;
      }
      if (sum > 0) first[bucket] = take(bucket, sum);
    }
  }
#endif
};

}  // namespace heddle::inline HEDDLE_ABI::detail::expand

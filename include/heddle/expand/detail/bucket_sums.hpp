#pragma once

#include <heddle/expand/detail/block_sum.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

inline constexpr int bucket_count = 32;  // one per bit of n

/// Shared memory for the sums of a block, in all and per bucket.
struct bucket_sums {
  block_sums all;
  bool whole;                          // all that the block pushes has room
  unsigned first[bucket_count];        // place of the block's first run in each bucket
  unsigned bits[32];                   // per warp: the buckets for which it has runs, as bits
  unsigned of_warp[32][bucket_count];  // per warp and bucket: how many; after take_all, how many the warps before have

#if defined(__CUDACC__)
  /// Counts the runs of this warp for each bucket. All lanes of the warp call it together.
  template <class Word>  // unsigned; as a template it is compiled only if it is used
  HEDDLE_DEVICE void count(Word n) {
    const unsigned warp = warp::thread() / 32, any = ptx::redux_sync_or(warp::all, n);
    __syncwarp();  // other lanes may still read these words for the push before
    if (warp::lane() == 0) bits[warp] = any;
    for (unsigned left = any; left != 0; left &= left - 1) {
      const int bucket = __ffs(static_cast<int>(left)) - 1;
      const auto lanes = static_cast<unsigned>(__popc(__ballot_sync(warp::all, (n >> bucket & 1) != 0)));
      if (warp::lane() == 0) of_warp[warp][bucket] = lanes;
    }
  }

  /// Takes the entries of the whole block. The first warp calls it when all warps have counted. `take(bucket, entries)`
  /// returns the place of the first of them.
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

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

#pragma once

#include <heddle/detail/warp.hpp>
#include <heddle/reorder/coherence.hpp>

namespace heddle::inline v0 {

/// Where each thread of a block would stand if they were sorted by their keys. Equal keys stay in the order of their
/// threads, and threads that do not take part go last, in theirs.
///
///   thread   0 1 2 3 4 5 6 7
///   key      2 0 2 - 1 0 2 1       - takes no part
///   rank     4 0 5 7 2 1 6 3       7 are active
///
/// `Bits` says how many low bits of a key matter, 1 to 8. Of a wider key take the bits that part what costs most: which
/// branch before which argument, `key >> shift`.
///
///   __shared__ block_reorder<256, 3>::storage smem;
///   block_reorder<256, 3> reorder(smem);
///   const auto [rank, active, how] = reorder.rank(material);
///
/// Made once in a kernel; every thread of the block calls `rank`, as often as it likes. One barrier each time.
template <int Threads, int Bits>
class block_reorder {
  static_assert(Threads % 32 == 0 && Threads >= 32 && Threads <= 1024, "heddle: threads of a block are whole warps");
  static_assert(Bits >= 1 && Bits <= 8, "heddle: keys of 1 to 8 bits");

  static constexpr unsigned keys = 1u << Bits, warps = Threads / 32, words = (warps + 3) / 4;
  static constexpr unsigned keys_of_lane = (keys + 31) / 32;

 public:
  /// How many threads of each warp have each key, a byte each; twice, so that nobody waits for who still reads.
  struct storage {
    alignas(16) unsigned counts[2][keys][words];
  };

  struct place {
    unsigned rank, active;  // of this thread; of the block
    coherence how;          // the block's keys are spread over its warps
  };

#if defined(__CUDACC__)
  HEDDLE_DEVICE explicit block_reorder(storage& shared) : shared_(&shared) {}

  HEDDLE_DEVICE place rank(unsigned key, bool is_active = true) {
    namespace warp = detail::warp;
    const unsigned number = warp::thread() / 32;
    auto& counts = shared_->counts[turn_];
    turn_ ^= 1;
    key &= keys - 1;

    // A vote for each bit tells which lanes have a key: this thread's own, and for lane l those of l, l + 32 ….
    const unsigned active = __ballot_sync(warp::all, is_active);
    unsigned votes[Bits];
#pragma unroll
    for (int bit = 0; bit < Bits; ++bit) votes[bit] = __ballot_sync(warp::all, (key >> bit & 1) != 0);
    const auto lanes_with = [&](unsigned its_key) {
      unsigned lanes = active;
#pragma unroll
      for (int bit = 0; bit < Bits; ++bit) lanes &= (its_key >> bit & 1) != 0 ? votes[bit] : ~votes[bit];
      return lanes;
    };
    const unsigned peers = lanes_with(key);
#pragma unroll
    for (unsigned i = 0; i < keys_of_lane; ++i) {
      const unsigned its_key = i * 32 + warp::lane();
      if (its_key >= keys) continue;
      reinterpret_cast<unsigned char*>(counts[its_key])[number] =
          static_cast<unsigned char>(__popc(lanes_with(its_key)));
    }
    if constexpr (warps % 4 != 0) clear_behind(counts, number);
    __syncthreads();

    // Of each key of the lane: how many threads have it in the warps before this one, and in all.
    unsigned first = 0, before_all = 0, visits = 0, distinct = 0, through = 0;
#pragma unroll
    for (unsigned i = 0; i < keys_of_lane; ++i) {
      const unsigned its_key = i * 32 + warp::lane();
      unsigned before = 0, total = 0;
      if (its_key < keys) {
#pragma unroll
        for (unsigned word = 0; word < words; ++word) {
          const unsigned of_four = counts[its_key][word];
          total = sum_of_bytes(of_four, total);
          const unsigned behind = number > word * 4 ? number - word * 4 : 0;  // warps of these that come before
          before = sum_of_bytes(behind >= 4 ? of_four : of_four & ((1u << behind * 8) - 1), before);
          visits += nonzero_bytes(of_four);
        }
      }
      distinct += total > 0;
      before_all += before;
      const unsigned sum = warp::inclusive_sum(total), start = through + sum - total + before;
      through += __shfl_sync(warp::all, sum, 31);
      const unsigned of_mine = __shfl_sync(warp::all, start, static_cast<int>(key % 32));
      if (key / 32 == i) first = of_mine;
    }
    const unsigned active_before =
        __reduce_add_sync(warp::all, before_all) + static_cast<unsigned>(__popc(active & warp::below()));
    const coherence how{__reduce_add_sync(warp::all, visits), __reduce_add_sync(warp::all, distinct), through};
    if (is_active) return {first + static_cast<unsigned>(__popc(peers & warp::below())), through, how};
    return {through + warp::thread() - active_before, through, how};
  }

 private:
  HEDDLE_DEVICE static unsigned sum_of_bytes(unsigned four, unsigned sum) {
    return __dp4a(four, 0x01010101u, sum);
  }

  /// None is above 32.
  HEDDLE_DEVICE static unsigned nonzero_bytes(unsigned four) {
    return static_cast<unsigned>(__popc((four + 0x7f7f7f7fu) & 0x80808080u));
  }

  /// The bytes of the last word for which there is no warp.
  HEDDLE_DEVICE static void clear_behind(unsigned (&counts)[keys][words], unsigned number) {
    if (number != 0) return;
    for (unsigned its_key = detail::warp::lane(); its_key < keys; its_key += 32) {
      for (unsigned at = warps; at < 4 * words; ++at) reinterpret_cast<unsigned char*>(counts[its_key])[at] = 0;
    }
  }

  storage* shared_;
  unsigned turn_ = 0;
#endif
};

}  // namespace heddle::inline v0

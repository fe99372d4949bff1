#pragma once

#include <heddle/detail/warp.hpp>
#include <heddle/reorder/coherence.hpp>

namespace heddle::inline HEDDLE_ABI {

/// Counts in a kernel as it is what `block_reorder` would find there, and says what it would win.
///
///   probe.see(material);                    // in the kernel, where threads are about to part: all of a warp together
///   …
///   counts.gain(256, 200, 6)                // on the host: 1.8 times as fast in blocks of 256, if …
///
/// A kernel argument, with a pointer to counts in device memory that are 0 at first. It takes no shared memory and no
/// barrier, but additions to memory, as many as a warp has keys: take it out when it has told.
template <int Bits>
struct key_probe {
  static_assert(Bits >= 1 && Bits <= 8, "heddle: keys of 1 to 8 bits");
  static constexpr unsigned keys = 1u << Bits;

  struct counts {
    unsigned long long warps, visits;  // of warps, those with somebody active; by them to keys
    unsigned long long threads[keys];  // active ones with each key

    HEDDLE_FN double keys_of_warp() const { return warps == 0 ? 0 : as_double(visits) / as_double(warps); }

    /// Of the 32 of a warp, as long as it is busy with one key.
    HEDDLE_FN double threads_of_visit() const { return visits == 0 ? 0 : as_double(active()) / as_double(visits); }

    /// As many as a warp would have at most, on average, if blocks of so many threads were sorted: if all blocks draw
    /// their keys from the same lot. 0 where there is nothing to sort: no thread counted, or none in a block.
    HEDDLE_FN double sorted_keys_of_warp(int threads_of_block) const {
      if (warps == 0 || active() == 0 || threads_of_block <= 0) return 0;
      const double warps_of_block = threads_of_block / 32.0;
      const double active_of_block = warps_of_block * as_double(active()) / as_double(warps);
      double distinct = 0;
      for (const unsigned long long with_key : threads) {
        distinct += 1 - power(1 - as_double(with_key) / as_double(active()), active_of_block);
      }
      const double full = active_of_block < 32 ? 1 : active_of_block / 32;
      return (full + (distinct < 1 ? 0 : distinct - 1)) / warps_of_block;
    }

    /// How many times as fast that part of the kernel would be which parts by key, if each visit to a key keeps a
    /// warp's scheduler busy for so many clocks and so many words of a thread's state change places. Below 1 it would
    /// lose, and 1 is no change: as in a block without threads.
    HEDDLE_FN double gain(int threads_of_block, double clocks_of_visit, unsigned words, coherence::cost of = {}) const {
      const double sorted = sorted_keys_of_warp(threads_of_block);
      const double clocks = sorted * clocks_of_visit + static_cast<double>(of.of_rank + of.exchange(words));
      return sorted > 0 && clocks > 0 ? keys_of_warp() * clocks_of_visit / clocks : 1;
    }

    HEDDLE_FN unsigned long long active() const {
      unsigned long long sum = 0;
      for (const unsigned long long with_key : threads) sum += with_key;
      return sum;
    }

   private:
    HEDDLE_FN static double as_double(unsigned long long count) { return static_cast<double>(count); }

    /// Whole powers; of what is left over, a straight line.
    HEDDLE_FN static double power(double base, double exponent) {
      double result = 1;
      auto whole = exponent < 4e9 ? static_cast<unsigned>(exponent) : 4'000'000'000u;
      if (exponent < 4e9) result *= 1 + (base - 1) * (exponent - whole);
      for (; whole > 0; whole /= 2, base *= base) {
        if (whole % 2 != 0) result *= base;
      }
      return result;
    }
  };

  counts* all;

#if defined(__CUDACC__)
  /// By all threads of a warp together.
  HEDDLE_DEVICE void see(unsigned key, bool is_active = true) const {
    namespace warp = detail::warp;
    const unsigned active = __ballot_sync(warp::all, is_active);
    unsigned peers = active;
#pragma unroll
    for (int bit = 0; bit < Bits; ++bit) {
      const bool is_set = (key & 1u << bit) != 0;
      const unsigned vote = __ballot_sync(warp::all, is_set);
      peers &= is_set ? vote : ~vote;
    }
    const bool is_first = is_active && (peers & warp::below()) == 0;
    const unsigned firsts = __ballot_sync(warp::all, is_first);
    if (is_first) atomicAdd(&all->threads[key % keys], static_cast<unsigned long long>(__popc(peers)));
    if (warp::lane() != 0 || active == 0) return;
    atomicAdd(&all->warps, 1ull);
    atomicAdd(&all->visits, static_cast<unsigned long long>(__popc(firsts)));
  }
#endif
};

}  // namespace heddle::inline HEDDLE_ABI

#pragma once

#include <heddle/detail/warp.hpp>
#include <heddle/reorder/coherence.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Counts the keys of warps in a kernel that does not reorder yet, and predicts what `block_reorder` would gain there.
///
///   a warp's keys   0 1 0 1 0 1 …      see(key) adds 1 to warps, 2 to visits, 16 to threads[0], 16 to threads[1]
///
/// The kernel takes it as an argument and calls `see` before its threads diverge; the host reads the counts.
///
/// **Preconditions**: all threads of a warp call `see` together. `all` points to counts in device memory that are zero
/// before the first launch.
/// **Cost**: per call two atomic additions to global memory per warp, and one more for each of its keys; no shared
/// memory, no barrier. Remove it from the kernel after the measurement.
/// **Example** (examples/05_reorder/probe.cu):
///
///     using materials = heddle::key_probe<3>;
///     …
///     probe.see(mine.material);
///     …
///     materials::counts counts;
///     check(cudaMemcpy(&counts, probe.all, sizeof counts, cudaMemcpyDeviceToHost));
///     …
///     std::printf("a warp has %.1f materials, sorted %.1f\n", counts.keys_of_warp(), counts.sorted_keys_of_warp(256));
template <int Bits>
struct key_probe {
  static_assert(Bits >= 1 && Bits <= 8, "heddle::key_probe: Bits is not from 1 to 8");
  /// The number of keys: only their low `Bits` bits count.
  static constexpr unsigned keys = 1u << Bits;

  /// The counters of a probe, and what follows from them.
  struct counts {
    unsigned long long warps, visits;  // calls by a warp with an active thread; distinct keys in each of them, summed
    unsigned long long threads[keys];  // active threads with each key

    /// Returns the average number of keys per warp.
    HEDDLE_FN double keys_of_warp() const { return warps == 0 ? 0 : as_double(visits) / as_double(warps); }

    /// Returns the average number of threads that are active while a warp works on one key: at most 32.
    HEDDLE_FN double threads_of_visit() const { return visits == 0 ? 0 : as_double(active()) / as_double(visits); }

    /// Returns the most keys per warp, on average, in sorted blocks of `threads_of_block`, if the keys of all blocks
    /// are distributed alike. 0 if no threads were counted or a block has none.
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

    /// Returns how many times as fast the code that diverges by key would be, ranks and exchange included; below 1 is
    /// slower. A visit to a key keeps a warp's scheduler busy for `clocks_of_visit`, and `words` words of each
    /// thread move. 1 if there are no threads to sort.
    HEDDLE_FN double gain(int threads_of_block, double clocks_of_visit, unsigned words, coherence::cost of = {}) const {
      const double sorted = sorted_keys_of_warp(threads_of_block);
      const double clocks = sorted * clocks_of_visit + static_cast<double>(of.of_rank + of.exchange(words));
      return sorted > 0 && clocks > 0 ? keys_of_warp() * clocks_of_visit / clocks : 1;
    }

    /// Returns the number of active threads counted.
    HEDDLE_FN unsigned long long active() const {
      unsigned long long sum = 0;
      for (const unsigned long long with_key : threads) sum += with_key;
      return sum;
    }

   private:
    HEDDLE_FN static double as_double(unsigned long long count) { return static_cast<double>(count); }

    /// Exact for a whole exponent, linear in the fraction of one; no standard header is needed.
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

  counts* all;  // in device memory; the caller zeroes, reads and frees it

#if defined(__CUDACC__)
  /// Counts the warp's keys. All threads of the warp call it together.
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
    const bool is_first = is_active && (peers & detail::ptx::lanemask_lt()) == 0;
    const unsigned firsts = __ballot_sync(warp::all, is_first);
    if (is_first) atomicAdd(&all->threads[key % keys], static_cast<unsigned long long>(__popc(peers)));
    if (warp::lane() != 0 || active == 0) return;
    atomicAdd(&all->warps, 1ull);
    atomicAdd(&all->visits, static_cast<unsigned long long>(__popc(firsts)));
  }
#endif
};

}}  // namespace heddle::HEDDLE_ABI

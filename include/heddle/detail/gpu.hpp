#pragma once

#include <heddle/detail/ptx.hpp>

#if defined(__CUDACC__)

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// The machine on which schedulers decide in a kernel: the number of the worker, and accesses to global memory. A
/// worker draws as one: a block, or a cluster. `laws::check_schedule` has a machine of its own, with one access at a
/// time.
template <bool Clusters>
struct gpu {
  static constexpr bool clusters = Clusters;

  /// Returns the number of the worker, opaque to the optimiser: with blockIdx.x in sight it computes the addresses that
  /// follow from a tile in a slower way. SGEMM of 8192^3 in tiles of 128 x 128 then takes 1.10 times as long by
  /// `row_major`, and 1.05 times by `cta_swizzle` (H200).
  HEDDLE_DEVICE static unsigned worker() {
    if constexpr (Clusters) return ptx::clusterid();
    unsigned block = blockIdx.x;
    asm("" : "+r"(block));
    return block;
  }

  HEDDLE_DEVICE static unsigned workers() {
    if constexpr (Clusters) return ptx::nclusterid();
    return gridDim.x;
  }

  /// Returns the rank of this block among the blocks of its worker.
  HEDDLE_DEVICE static unsigned rank() {
    if constexpr (Clusters) return ptx::cluster_ctarank();
    return 0;
  }

  HEDDLE_DEVICE static unsigned sm() { return ptx::smid(); }
  HEDDLE_DEVICE static unsigned launch() { return static_cast<unsigned>(ptx::gridid()); }

  // These accesses are relaxed and have device scope. A counter that guards other memory needs a fence on both sides.
  template <class Word>
  HEDDLE_DEVICE static Word add(Word* word, Word value) {
    return atomicAdd(word, value);
  }
  template <class Word>
  HEDDLE_DEVICE static Word exchange(Word* word, Word value) {
    return atomicExch(word, value);
  }
  template <class Word>
  HEDDLE_DEVICE static Word bit_or(Word* word, Word value) {
    return atomicOr(word, value);
  }
  template <class Word>
  HEDDLE_DEVICE static Word load(const Word* word) {
    return *static_cast<const volatile Word*>(word);
  }
  template <class Word>
  HEDDLE_DEVICE static void store(Word* word, Word value) {
    *static_cast<volatile Word*>(word) = value;
  }

  HEDDLE_DEVICE static void fence() { __threadfence(); }

  /// Waits between two loads of a word that another worker, which has started, is about to write.
  HEDDLE_DEVICE static void pause() { __nanosleep(32); }
};

}}}  // namespace heddle::HEDDLE_ABI::detail

#endif

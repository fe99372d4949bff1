#pragma once

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Says how the keys of a block are spread over its warps, and whether sorting pays. `block_reorder::spread` returns
/// the same values to every thread, so all threads of the block decide alike.
///
///   two warps, keys   0 1 0 1 …  and  2 2 2 …      3 visits, 3 keys: up to 4 visits if sorted, so it does not pay
///
/// **Example** (tests/gpu/reorder.cu):
///
///     const coherence how = everybody ? sort.spread(of[at]) : sort.spread(of[at], active[at]);
struct coherence {
  unsigned visits;  // distinct keys per warp, summed over warps: a warp runs the code of a key once per visit
  unsigned keys;    // distinct keys in the block
  unsigned active;  // active threads in the block

  /// Returns the number of warps that the active threads fill.
  HEDDLE_FN unsigned warps() const { return (active + 31) / 32; }

  /// Returns the most visits there can be after sorting: each warp begins with one key, and each further key begins in
  /// some warp.
  HEDDLE_FN unsigned sorted_visits() const { return keys == 0 ? 0 : warps() + keys - 1; }

  /// The cost of a rank, of an exchange and of a question (how are the keys spread?) per warp, in clocks for which its
  /// scheduler issues nothing else. The defaults are those of blocks of 256 threads and 3 bits; `block_reorder::cost`
  /// has those of other blocks. Exchanges took 12 clocks for 2 words, 37 for 6, 185 for 16 and 397 for 32; the line
  /// goes through the last two, and gives 0 and 52 for the first (H200, blocks of 256, `bench_reorder --only cost`).
  struct cost {
    float of_rank = 94, of_exchange = -28, of_word = 13.3f;  // of a rank; of any exchange; of each word per thread
    float of_question = 34;

    /// Returns the clocks of an exchange of `words` words per thread.
    HEDDLE_FN float exchange(unsigned words) const {
      const float clocks = of_exchange + of_word * static_cast<float>(words);
      return clocks > 0 ? clocks : 0;
    }
    /// Returns the clocks of ranks and such an exchange.
    HEDDLE_FN float sorted(unsigned words) const { return of_rank + exchange(words); }
  };

  /// Returns whether the visits that sorting saves cost more than ranks and an exchange of `words` words per thread.
  /// `clocks_of_visit` is the time of a visit for a warp that is alone on its scheduler and never stalls.
  HEDDLE_FN bool pays(float clocks_of_visit, unsigned words, const cost& of) const {
    const unsigned sorted = sorted_visits();
    return visits > sorted &&
           static_cast<float>(visits - sorted) * clocks_of_visit > static_cast<float>(warps()) * of.sorted(words);
  }
  HEDDLE_FN bool pays(float clocks_of_visit, unsigned words) const { return pays(clocks_of_visit, words, cost{}); }
};

}}  // namespace heddle::HEDDLE_ABI

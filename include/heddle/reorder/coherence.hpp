#pragma once

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI {

/// How the keys of a block are spread over its warps, and whether to sort its threads would pay. The same in every
/// thread of the block, so that all of them decide alike.
///
///   two warps, keys   0 1 0 1 …  and  2 2 2 …      visits 3, keys 3: sorted they are 4 at most, so stay
struct coherence {
  unsigned visits;  // of warps to keys: how often a warp runs what belongs to one key
  unsigned keys;    // that somebody has
  unsigned active;  // threads

  HEDDLE_FN unsigned warps() const { return (active + 31) / 32; }

  /// At most, once they are sorted: each warp begins with one key, and each further key begins in some warp.
  HEDDLE_FN unsigned sorted_visits() const { return keys == 0 ? 0 : warps() + keys - 1; }

  /// What a rank takes, and what it takes to carry so many words of each thread's state, for each warp: in clocks for
  /// which its scheduler issues nothing else. Measured on an H200 in blocks of 256 by `bench_reorder --only cost`: 12
  /// clocks for 2 words, 37 for 6, 185 for 16 and 397 for 32, of which this is the line.
  struct cost {
    float of_rank = 90, of_exchange = -28, of_word = 13.3f;

    HEDDLE_FN float exchange(unsigned words) const {
      const float clocks = of_exchange + of_word * static_cast<float>(words);
      return clocks > 0 ? clocks : 0;
    }
  };

  /// Whether fewer visits of so many clocks each, as if a warp were alone on its scheduler but never waited, are worth
  /// the exchange of so many words a thread. That they have ranks is no longer a question.
  HEDDLE_FN bool pays(float clocks_of_visit, unsigned words, cost of) const {
    if (visits <= warps()) return false;  // as they are; so the keys need not be counted
    const unsigned sorted = sorted_visits();
    return visits > sorted &&
           static_cast<float>(visits - sorted) * clocks_of_visit > static_cast<float>(warps()) * of.exchange(words);
  }
  HEDDLE_FN bool pays(float clocks_of_visit, unsigned words) const { return pays(clocks_of_visit, words, cost{}); }
};

}  // namespace heddle::inline HEDDLE_ABI

#pragma once

#include <heddle/config.hpp>

namespace heddle::inline v0 {

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

  /// What it takes to carry so many words of each thread's state, for each warp, in clocks: those for which a scheduler
  /// issues nothing else. Measured by bench_reorder on an H200.
  struct cost {
    float of_exchange = 60, of_word = 6;

    HEDDLE_FN float operator()(unsigned words) const { return of_exchange + of_word * static_cast<float>(words); }
  };

  /// Whether fewer visits of so many clocks each, as if a warp were alone on its scheduler but never waited, are worth
  /// the exchange of so many words a thread.
  HEDDLE_FN bool pays(float clocks_of_visit, unsigned words, cost exchange) const {
    if (visits <= warps()) return false;  // as they are; so the keys need not be counted
    const unsigned sorted = sorted_visits();
    return visits > sorted &&
           static_cast<float>(visits - sorted) * clocks_of_visit > static_cast<float>(warps()) * exchange(words);
  }
  HEDDLE_FN bool pays(float clocks_of_visit, unsigned words) const { return pays(clocks_of_visit, words, cost{}); }
};

}  // namespace heddle::inline v0

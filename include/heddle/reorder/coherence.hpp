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

  /// At most, once they are sorted: each warp begins with one key, and each further key begins in some warp.
  HEDDLE_FN unsigned sorted_visits() const { return keys == 0 ? 0 : (active + 31) / 32 + keys - 1; }

  /// What a block spends to exchange so many words of each thread's state, in clocks. H200, 256 threads.
  struct cost {
    float of_exchange = 120, of_word = 12;

    HEDDLE_FN float operator()(unsigned words) const { return of_exchange + of_word * static_cast<float>(words); }
  };

  /// Whether fewer visits of so many clocks each are worth the exchange of so many words a thread.
  HEDDLE_FN bool pays(float clocks_of_visit, unsigned words, cost exchange) const {
    return visits > sorted_visits() && static_cast<float>(visits - sorted_visits()) * clocks_of_visit > exchange(words);
  }
  HEDDLE_FN bool pays(float clocks_of_visit, unsigned words) const { return pays(clocks_of_visit, words, cost{}); }
};

}  // namespace heddle::inline v0

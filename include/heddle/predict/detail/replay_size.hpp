#pragma once

#include <heddle/invalid_argument.hpp>
#include <heddle/predict/device.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Refuses numbers that no kernel has: a multiprocessor holds at most 64 warps, and a block has at least one.
inline void require_blocks(const char* name, int blocks_per_multiprocessor) {
  require_at_least(1, name, blocks_per_multiprocessor);
  require_at_most(64, name, blocks_per_multiprocessor);
}

/// Refuses what cannot be right of a question to `advise`.
template <class Problem>
void check_question(const Problem& problem, const predict::device& device, int blocks_per_multiprocessor) {
  problem.check();
  device.check();
  require_blocks("heddle::predict::advise: blocks_per_multiprocessor", blocks_per_multiprocessor);
}

/// The chip as a replay sees it.
struct replay_size {
  int multiprocessors, blocks;  // `blocks` per multiprocessor
  long long cache_bytes;
};

/// Returns a chip whose cache is one part of L2: tiles that share what they read run anywhere on the chip, so that each
/// part keeps a copy of it. H200: raster over an image whose live rows are 42 MB reads 18.2 GB of DRAM by the counters;
/// 60 MB of cache would predict 4.3 GB, 30 MB predict 20.2 GB (docs/convolution.md).
template <class Problem>
replay_size replay_size_of(const Problem& problem, const predict::device& device, int blocks_per_multiprocessor) {
  const int blocks =
      problem.rules(device, blocks_per_multiprocessor).blocks_go_in_step ? blocks_per_multiprocessor : 1;
  return {device.multiprocessors, blocks, device.l2_bytes / device.l2_copies};
}

}  // namespace heddle::inline HEDDLE_ABI::detail

#pragma once

#include <heddle/invalid_argument.hpp>
#include <heddle/predict/device.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// What a replay takes for the chip.
struct replay_size {
  int multiprocessors, blocks;  // of each
  long long cache_bytes;
};

/// A cache of one part of L2: tiles that share what they read are anywhere on the chip, so that each part keeps it.
/// H200, counted: raster over 42 MB of live rows of an image reads 18.2 GB of DRAM, where 60 MB of cache would make it
/// 4.3, and 30 MB 20.2 (docs/convolution.md).
template <class Problem>
replay_size replay_size_of(const Problem& problem, const predict::device& device, int blocks_per_multiprocessor) {
  const int blocks = problem.rules(blocks_per_multiprocessor).blocks_go_in_step ? blocks_per_multiprocessor : 1;
  require_at_most(0x7fffffff, "heddle::predict: concurrent blocks", 1LL * device.multiprocessors * blocks);
  return {device.multiprocessors, blocks, device.l2_bytes / device.l2_copies};
}

}  // namespace heddle::inline HEDDLE_ABI::detail

#pragma once

#include <heddle/predict/device.hpp>
#include <heddle/predict/gemm_problem.hpp>
#include <heddle/predict/stencil_problem.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// What a replay takes for the chip.
struct replay_size {
  int multiprocessors, blocks;  // of each
  long long cache_bytes;

  int concurrent_blocks() const { return multiprocessors * blocks; }
};

/// Blocks everywhere read a stripe. Those that share a multiprocessor do not go in step: an H200's counters agree
/// with waves of one block a multiprocessor, and not with waves of two (docs/gemm_study.md).
constexpr replay_size replay_size_of(const predict::gemm_problem&, const predict::device& device, int) {
  return {device.multiprocessors, 1, device.l2_bytes / device.l2_copies};
}

/// Neighbours share what they read, and they are anywhere on the chip. H200, counted: raster over 42 MB of live rows
/// reads 18.2 GB of DRAM, where 60 MB of cache would make it 4.3, and 30 MB 20.2 (docs/convolution.md).
constexpr replay_size replay_size_of(const predict::stencil_problem&, const predict::device& device,
                                     int blocks_per_multiprocessor) {
  require_at_most(0x7fffffff, "heddle::predict: concurrent blocks",
                  1LL * device.multiprocessors * blocks_per_multiprocessor);
  return {device.multiprocessors, blocks_per_multiprocessor, device.l2_bytes / device.l2_copies};
}

}  // namespace heddle::inline HEDDLE_ABI::detail

#pragma once

#include <heddle/detail/warp.hpp>

#if defined(__CUDACC__)

namespace heddle { inline namespace HEDDLE_ABI {

/// Returns the i-th of `of_each` sources of this thread, so that the launch pushes the sources 0, 1, 2 and so on in the
/// order of `scanned`: by block, by warp, by i, by thread. Neighbouring threads have neighbouring sources.
///
///   of_each 2, thread     0   1 …  31   32 …          blocks of 64 threads push 128 sources each
///   i = 0                 0   1 …  31   64 …
///   i = 1                32  33 …  63   96 …
///
/// **Preconditions**: the grid has one dimension.
/// **Example** (examples/keys/keys.cu):
///
///     sources[i] = heddle::source_in_order(of_each, i);
HEDDLE_DEVICE inline unsigned source_in_order(unsigned of_each, unsigned i) {
  const unsigned threads = detail::warp::threads_in_block(), lane = detail::warp::thread() % 32;
  const unsigned before = detail::warp::thread() - lane, lanes = threads - before < 32 ? threads - before : 32;
  return (blockIdx.x * threads + before) * of_each + i * lanes + lane;
}

}}  // namespace heddle::HEDDLE_ABI

#endif

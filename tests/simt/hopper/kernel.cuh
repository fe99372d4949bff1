#pragma once

// Launches of examples/hopper/kernel.cuh as tests/simt.hpp runs them.

#include "hopper/tma.cuh"

namespace hopper {

/// So many blocks or clusters of blocks, which run at the same time.
struct launch_of {
  unsigned workers, blocks_in_cluster = 1;
};

template <class... Params>
struct kernel {
  void (*function)(Params...);
  unsigned threads;
  std::size_t shared_bytes;

  template <class Scheduler>
  launch_of grid(const Scheduler& scheduler) const {
    return {1, static_cast<unsigned>(scheduler.order().blocks_in_cluster())};
  }
  cudaError_t launch(launch_of of, cudaStream_t, const Params&... arguments) const {
    ptx::flying.clear();
    simt::launch_together(
        {.blocks = of.workers * of.blocks_in_cluster, .threads = threads, .cluster = of.blocks_in_cluster}, [&] {
          function(arguments...);
          ptx::end_of_thread();
        });
    return ptx::flying.empty() ? cudaSuccess : throw std::logic_error("a launch ends before its copies");
  }
};

}  // namespace hopper

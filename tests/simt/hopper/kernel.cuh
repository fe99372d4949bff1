#pragma once

// Launches of examples/hopper/kernel.cuh as tests/simt.hpp runs them: clusters at the same time, and few of them.

#include <cuda_runtime.h>

#include "hopper/ptx.cuh"

namespace hopper {

struct launch_config {
  unsigned workers, blocks_in_worker;
};
inline unsigned resident_workers = 2;

template <class... Params>
struct kernel {
  void (*function)(Params...);
  unsigned threads;
  std::size_t shared_bytes;

  template <class Scheduler>
  launch_config grid(const Scheduler& scheduler) const {
    const auto tiles = static_cast<unsigned>(scheduler.order().size());
    unsigned in_worker = 1;
    if constexpr (heddle::cluster_order<std::decay_t<decltype(scheduler.order())>>) {
      in_worker = static_cast<unsigned>(scheduler.order().blocks_in_cluster());
    }
    return {!Scheduler::persistent || tiles < resident_workers ? tiles : resident_workers, in_worker};
  }

  cudaError_t launch(const launch_config& grid, cudaStream_t, const Params&... arguments) const {
    if (shared_bytes > sizeof hopper_memory) return cudaErrorInvalidValue;
    if (grid.workers == 0) return cudaSuccess;
    ptx::flying.clear();
    const unsigned blocks = grid.workers * grid.blocks_in_worker;
    simt::launch_together({.blocks = blocks,
                           .threads = threads,
                           .in_cluster = grid.blocks_in_worker,
                           .limit = 400'000'000},
                          [&] {
                            function(arguments...);
                            ptx::end_of_thread();
                          });
    if (!ptx::flying.empty()) throw std::logic_error("a launch ends before its copies");
    return cudaSuccess;
  }
};

}  // namespace hopper

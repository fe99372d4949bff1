#pragma once

#include <cstddef>

#include <heddle/launch/launch_shape.hpp>

namespace hopper {

/// A kernel as a value: its function, the threads of a block and their shared memory.
///
///   const hopper::kernel by{product<strided<row_major>>, threads, sizeof(memory)};
///   const heddle::launch_config grid = by.grid(scheduler);   // once
///   … by.launch(grid, stream, scheduler, arguments) …
template <class... Params>
struct kernel {
  void (*function)(Params...);
  unsigned threads;
  std::size_t shared_bytes;

  /// Returns the launch of a scheduler on the current device.
  template <class Scheduler>
  heddle::launch_config grid(const Scheduler& scheduler) const {
    return scheduler.grid(function, threads, shared_bytes);
  }

  /// Enqueues the kernel.
  [[nodiscard]] cudaError_t launch(const heddle::launch_config& grid, cudaStream_t stream,
                                   const Params&... arguments) const {
    return heddle::launch(grid, stream, function, arguments...);
  }
};

}  // namespace hopper

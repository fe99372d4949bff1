#pragma once

#include <heddle/launch/detail/ptx.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

// Programmatic launches: a kernel starts while the launch before it in the stream still runs.
//
//   launch(grid.with(programmatic_launch()), stream, kernel, scheduler)      // on the host
//
//   wait_for_launch_before();                                                // in the kernel, in every thread
//   for (auto [row, col] : scheduler.tiles(smem)) { ... }

#if defined(__CUDACC__)

/// Waits until the launch before this one in the stream has ended, and what it wrote can be read.
///
/// It waits for that launch alone. Launches before that one have ended too if that one waited, or was no programmatic
/// launch. In A, B, C, all programmatic, C may run beside A if no thread of B waits.
///
/// **Preconditions**: before it, a thread touches nothing that an earlier launch of the stream may have written: no
/// state, no tensor, and no sizes or offsets, such as `cu_seqlens` or what a `grouped` order was prepared with. So
/// every thread calls it before `tiles`, `lead`, `push`, `items`, `rows` or `take`; under `stream_k` before `enter`.
/// Every programmatic launch between two that share a state or data calls it too, in one thread at least.
///
/// **Cost**: one instruction. In a launch that is not programmatic it does not wait.
///
/// **Example** (tests/gpu/again.cu):
///
///     let_next_launch_start();
///     wait_for_launch_before();
///     for (const auto [row, col] : scheduler.tiles(smem)) {
HEDDLE_DEVICE inline void wait_for_launch_before() {
  detail::ptx::griddepcontrol_wait();
}

/// Lets the next launch in the stream start, once all blocks of this one have called it or ended.
///
/// **Effects**: blocks of the next launch start where they find room. What this launch writes can be read there only
/// after `wait_for_launch_before`.
///
/// **Cost**: one instruction.
HEDDLE_DEVICE inline void let_next_launch_start() {
  detail::ptx::griddepcontrol_launch_dependents();
}

#endif

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

/// Returns the attribute of a launch that may start before the launch before it in the stream has ended. It needs
/// sm_90. Its kernel calls `wait_for_launch_before`, also if it needs nothing of the launch before: later ones rely on
/// it.
inline cudaLaunchAttribute programmatic_launch() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

#endif

}}  // namespace heddle::HEDDLE_ABI

#pragma once

#include <heddle/detail/ptx.hpp>

namespace heddle::inline HEDDLE_ABI {

// Programmatic launches: a kernel starts while the one before it in the stream still runs.
//
//   launch(grid.with(programmatic_launch()), stream, kernel, scheduler)      // on the host
//
//   wait_for_launch_before();                                                // in the kernel, in every thread
//   for (auto [row, col] : scheduler.tiles(smem)) { ... }

#if defined(__CUDACC__)

/// Waits until the launch before this one has ended, and what it wrote can be read.
///
/// **Preconditions**: in a programmatic launch every thread calls it before `tiles`, `lead`, `push`, `items`, `rows` or
/// `take`, if the state was used by the launch before: a state serves one launch at a time. In any other launch it does
/// nothing.
HEDDLE_DEVICE inline void wait_for_launch_before() {
  detail::ptx::griddepcontrol_wait();
}

/// Lets the next launch in the stream start, as soon as all blocks of this one have called it or ended: on the
/// multiprocessors that are free. It does not make what this launch writes readable there.
HEDDLE_DEVICE inline void let_next_launch_start() {
  detail::ptx::griddepcontrol_launch_dependents();
}

#endif

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

/// The attribute of a launch that may start before the one before it in the stream has ended. From sm_90 on.
inline cudaLaunchAttribute programmatic_launch() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

#endif

}  // namespace heddle::inline HEDDLE_ABI

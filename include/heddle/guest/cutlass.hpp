#pragma once

#include <heddle/guest/cutlass_launch.hpp>
#include <heddle/guest/detail/cutlass_selectors.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace guest {

// heddle's orders and schedulers in kernels of CUTLASS, 4.2 or newer, for sm_90: `GemmUniversal`, by TMA and with
// specialised warps, cooperative or pingpong. The tag is the kernel's fourth argument, and `arguments.scheduler` then
// holds `cutlass_launch`, or `cutlass_groups` of a grouped kernel:
//
//     using kernel = cutlass::gemm::kernel::GemmUniversal<problem_shape, mainloop, epilogue, heddle::guest::drawn>;
//     arguments.scheduler.launch = {.order = heddle::recipe::cta_swizzle, .width = 4, .axis = heddle::axis::y};

/// Tags a kernel whose tiles are dealt out before the launch, as CUTLASS's `PersistentScheduler` deals them: of W
/// clusters, cluster w takes the tiles w, w + W, w + 2W … of the order.
///
/// **Cost**: no workspace. Its registers and its time are those of CUTLASS's scheduler.
/// **Example** (tests/guests/cutlass.cu):
///
///     serves<cooperative, heddle::guest::dealt>();
struct dealt : cutlass::gemm::GroupScheduler {};

/// Tags a kernel whose clusters draw tile after tile, so that one that starts late, while another kernel holds some
/// multiprocessors, does not keep its tiles waiting. In a grouped kernel the first tile of a cluster is that of its
/// number.
///
/// **Preconditions**: the workspace serves one launch at a time. CUTLASS's `initialize` zeroes it, and each launch
/// leaves it ready for the next. No warp of the kernel loads auxiliary inputs (`HasAuxiliaryLoad`), and the kernel has
/// no array of pointers, but for groups.
/// **Cost**: a workspace of 24 bytes, and the scheduler warp that CUTLASS's kernels keep for this.
/// **Example** (tests/guests/cutlass.cu):
///
///     serves<pingpong, heddle::guest::drawn>();
struct drawn : cutlass::gemm::GroupScheduler {};

/// A mainloop that brings the tag, for kernels that CUTLASS lets have no tag but its own: of groups before 4.7, with
/// `GroupScheduler` as their fourth argument, and of arrays of pointers, with `void`.
///
/// **Example** (bench/guests/grouped.cuh):
///
///     using by_tag = cutlass::gemm::kernel::GemmUniversal<problem_shape, heddle::guest::mainloop_by<Tag, mainloop>,
///                                                         epilogue, cutlass::gemm::GroupScheduler>;
template <class Tag, class Mainloop>
struct mainloop_by : Mainloop {
  static_assert(std::is_same_v<typename Mainloop::ArchTag, cutlass::arch::Sm90>, "heddle::guest: not for sm_90");
  using ArchTag = heddle::detail::guest::sm_90_by<Tag>;  // where CUTLASS finds the scheduler
};

}}}  // namespace heddle::HEDDLE_ABI::guest

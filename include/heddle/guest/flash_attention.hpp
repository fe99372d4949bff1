#pragma once

#include <heddle/guest/detail/flash_scheduler.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace guest {

// heddle's orders and schedulers in the forward kernel of FlashAttention-3 for sm_90. The kernel's scheduler is a
// template argument, and FlashAttention's launcher names its own: a user copies `run_flash_fwd` and writes there
//
//     using Scheduler = heddle::guest::flash_tiles<CollectiveMainloop>;

/// The plan for a main loop: `packed_sequences` for sequences of different lengths, `longest_first` under a causal or
/// local mask, and else `head_after_head`.
template <class Mainloop>
using flash_plan = std::conditional_t<
    Mainloop::Varlen,
    packed_sequences<Mainloop::Is_local ? group_sequence::as_numbered : group_sequence::lightest_first>,
    std::conditional_t<Mainloop::Is_causal || Mainloop::Is_local, longest_first, head_after_head>>;

/// A tile scheduler of FlashAttention-3 that follows a plan.
///
/// **Offers** what FlashAttention's own schedulers do, and `prepare(arguments, stream)`, which enqueues what comes
/// before a launch: the preparation of packed sequences, and of others nothing.
///
/// **Preconditions**: `tile_count_semaphore` is the state: the plan's `state_bytes` on the device, zeroed once, not per
/// launch. One launch at a time uses it. Of packed sequences `prepare` comes before the launch, on its stream, in place
/// of FlashAttention's `prepare_varlen_num_blocks`. A plan that draws serves no clusters, and none splits keys.
///
/// **Effects**: a launch leaves the state ready for the next. An `invalid_argument` refuses packed sequences that
/// have no `cu_seqlens`, and with `PackGQA` a number of sharing heads that does not divide a tile's rows.
///
/// **Cost**: 16 bytes of shared memory, and the two named barriers that FlashAttention's schedulers use.
///
/// **Example** (tests/guests/check_flash):
///
///     using Scheduler = heddle::guest::flash_tiles<CollectiveMainloop>;
template <class Mainloop, class Plan = flash_plan<Mainloop>>
using flash_tiles = detail::guest::flash_scheduler<Mainloop, Plan>;

}}}  // namespace heddle::HEDDLE_ABI::guest

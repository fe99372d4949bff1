#pragma once

#include <heddle/expand/detail/expander.hpp>
#include <heddle/expand/detail/item_unit.hpp>
#include <heddle/expand/detail/ptx.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

/// What levels in one launch share: blocks that are resident at once and wait for each other.
template <class Totals, class Capacity>
class level_base : public state_of_turns<level_base<Totals, Capacity>, Totals, Capacity> {
  using base = state_of_turns<level_base, Totals, Capacity>;

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
 public:
  /// Returns the launch of `run` on the current device: as many blocks as are resident at once on `cap`
  /// multiprocessors, with the attribute of cooperative launches. CUDA refuses it if they are not. Blocks must be whole
  /// warps.
  template <class... Params>
  launch_config grid(void (*kernel)(Params...), dim3 threads, decltype(sizeof 0) dynamic_smem = 0,
                     int cap = 0x7fffffff) const {
    require_whole_warps(threads);
    cudaLaunchAttribute all_resident{};
    all_resident.id = cudaLaunchAttributeCooperative;
    all_resident.val.cooperative = 1;
    return resident_of(reinterpret_cast<const void*>(kernel), threads, dynamic_smem, most_blocks, 1, cap)
        .with(all_resident);
  }
#endif

 protected:
  static constexpr unsigned most_blocks = 8192;  // more than are resident at once on any GPU

  using base::base, base::totals_;

#if defined(__CUDACC__)
  HEDDLE_DEVICE static void check_launch() {
    check(ptx::is_cooperative() && gridDim.x <= most_blocks,
          "heddle: levels in a launch whose blocks may not all be resident");
  }

  HEDDLE_DEVICE static bool is_first() {
    return blockIdx.x == 0 && warp::thread() == 0;
  }

  /// Arrives for a block whose threads have met, and waits until all blocks have arrived `turns` times: one thread.
  HEDDLE_DEVICE void meet_blocks(unsigned turns) const {
    ptx::red_release_add(&totals_->arrived, 1);
    while (static_cast<int>(ptx::ld_acquire(&totals_->arrived) - turns * gridDim.x) < 0) {
    }
  }
  /// The same for all threads.
  HEDDLE_DEVICE void meet_all(unsigned turns) const {
    __syncthreads();
    if (warp::thread() == 0) meet_blocks(turns);
    __syncthreads();
  }
#endif
};

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

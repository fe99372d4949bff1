#pragma once

#include <heddle/detail/device_state.hpp>
#include <heddle/detail/most_items.hpp>
#include <heddle/expand/detail/item_unit.hpp>
#include <heddle/expand/detail/ptx.hpp>
#include <heddle/launch/launch_shape.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

/// What levels in one launch share: a capacity, a state, and blocks that are resident at once and wait for each other.
template <class Totals, class Capacity>
class level_base {
 public:
  /// The counters at the start of the state. What a turn did is read from a copy of them on the host.
  using totals = Totals;

  /// Returns the bytes at the start of the state that `begin_async` sets to zero.
  HEDDLE_FN static decltype(sizeof 0) bytes_to_clear(Capacity) { return sizeof(Totals); }
  /// Returns the room that one level has.
  HEDDLE_FN Capacity capacity() const { return capacity_; }
  /// Returns the pointer to the state, with the totals at its start.
  HEDDLE_FN void* state() const { return totals_; }

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
  /// Enqueues a memset that clears the counters. Every turn begins with it.
  [[nodiscard]] cudaError_t begin_async(cudaStream_t stream) const {
    return cudaMemsetAsync(totals_, 0, bytes_to_clear(capacity_), stream);
  }

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

  HEDDLE_HOST level_base(const char* state_name, Capacity capacity, void* state)
      : capacity_(capacity), totals_(require_state<Totals>(state_name, state)) {}

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

  Capacity capacity_;
  Totals* totals_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

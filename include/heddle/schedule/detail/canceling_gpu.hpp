#pragma once

#include <heddle/concepts.hpp>
#include <heddle/detail/gpu.hpp>
#include <heddle/schedule/detail/ptx.hpp>

#if defined(__CUDACC__)

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::schedule {

/// A machine that can take over a worker that has not started. Before sm_100 there is none.
template <bool Clusters>
struct canceling_gpu : gpu<Clusters> {
  template <class Cancellation>
  HEDDLE_DEVICE static void begin_canceling(Cancellation& shared) {
    if constexpr (ptx::cancels_launches) ptx::mbarrier_init(ptx::shared_address(&shared.answered), 1);
  }

  template <class Cancellation>
  HEDDLE_DEVICE static void ask_to_cancel(Cancellation& shared) {
    if constexpr (ptx::cancels_launches) {
      const unsigned barrier = ptx::shared_address(&shared.answered);
      ptx::fence_proxy_async();  // orders it after the barrier's initialisation and the read of the last answer
      ptx::mbarrier_arrive_expect_tx(barrier, sizeof shared.answer);
      ptx::clusterlaunchcontrol_try_cancel(ptx::shared_address(shared.answer), barrier);
    }
  }

  template <class Cancellation>
  HEDDLE_DEVICE static void wait_for_answer(Cancellation& shared, unsigned turn) {
    if constexpr (ptx::cancels_launches) ptx::mbarrier_wait(ptx::shared_address(&shared.answered), turn & 1);
  }

  /// Returns the worker that was taken over, or `none`.
  template <class Cancellation>
  HEDDLE_DEVICE static unsigned canceled(Cancellation& shared, unsigned none) {
    const auto [any, block] = ptx::clusterlaunchcontrol_query_cancel(ptx::shared_address(shared.answer));
    if (any == 0) return none;
    return Clusters ? block / ptx::cluster_nctarank() : block;
  }
};

static_assert(drawing_machine<canceling_gpu<false>> && drawing_machine<canceling_gpu<true>>);

}}}  // namespace heddle::HEDDLE_ABI::detail::schedule

#endif

#pragma once

#include <heddle/schedule/detail/scheduler_base.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail::schedule {

template <class Scheduler, tile_order Order>
HEDDLE_FN Order order_in(const scheduler_base<Scheduler, Order>*);  // never defined

template <class Scheduler>
using order_of = decltype(order_in(static_cast<const Scheduler*>(nullptr)));

}  // namespace detail::schedule

/// Draws as another scheduler does, but no tile before it is needed.
///
/// `ticket` draws the next tile while a block works on one, so that no block waits for the answer. The next tile is
/// bound to that block then: if tiles take very different times, the longest tile that is left may wait behind a long
/// one while other blocks run out.
///
///   tiles that take 4 1 3 1      drawn ahead   0 0 0 0 2 2 2      drawn late   0 0 0 0 3
///   two blocks                                 1 3                             1 2 2 2
///
/// **Offers** what the other scheduler offers: `tiles(smem)`, `start(smem, followers)`, `lead(smem)`, `follow(smem)`,
/// `grid(kernel, threads, dynamic_smem, cap)`, and `order()`.
///
/// **Preconditions and effects**: those of the other scheduler.
///
/// **Cost**: that of the other scheduler, and the answer to an atomic addition is waited for: a microsecond per tile in
/// a loop; in roles, as long as the thread that leads is ahead of the others, nothing.
///
/// **Example** (tests/schedule/interleavings.cpp):
///
///     const draws_late scheduler{ticket{order, state.data()}};
template <class Scheduler>
class draws_late : public detail::schedule::drawn_by_one<draws_late<Scheduler>, detail::schedule::order_of<Scheduler>,
                                                         typename Scheduler::storage> {
  using base = detail::schedule::drawn_by_one<draws_late<Scheduler>, detail::schedule::order_of<Scheduler>,
                                              typename Scheduler::storage>;
  // Not one that wraps it, whose own part would be lost.
  static_assert(
      requires(const Scheduler* scheduler) { detail::schedule::order_in<Scheduler>(scheduler); },
      "heddle::draws_late: it takes the scheduler that decides; trace the outcome: traced{draws_late{...}}");

 public:
  /// Builds the scheduler from the one that decides.
  HEDDLE_HOST explicit draws_late(const Scheduler& scheduler) : base(scheduler.order()), scheduler_(scheduler) {}

  static constexpr bool persistent = Scheduler::persistent;  // as the scheduler that decides

  /// Returns the bytes of a state of the scheduler that decides.
  HEDDLE_FN static decltype(sizeof 0) state_bytes() requires requires { Scheduler::state_bytes(); }
  { return Scheduler::state_bytes(); }

  /// Decides for one worker, in a kernel and under `laws::check_schedule` alike.
  template <class Machine>
  class draws : public Scheduler::template draws<Machine> {
    using ahead = typename Scheduler::template draws<Machine>;

   public:
    /// Decides for the worker that `machine` is.
    template <class Storage>
    HEDDLE_FN draws(const draws_late& scheduler, Machine machine, Storage& shared)
        : ahead(scheduler.scheduler_, machine, shared) {}

    /// Draws nothing yet.
    HEDDLE_FN void ask() const {}

    /// Draws, and returns what was drawn.
    HEDDLE_FN unsigned next(unsigned index) {
      ahead::ask();
      return ahead::next(index);
    }
  };

 private:
  Scheduler scheduler_;
};

}}  // namespace heddle::HEDDLE_ABI

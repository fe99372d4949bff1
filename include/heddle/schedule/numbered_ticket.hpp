#pragma once

#include <heddle/schedule/ticket.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Draws as `ticket` does, but the first tile of a block is the tile of its number. A thread that neither leads nor
/// follows knows it, too.
///
///   tiles           0 1 2 3 4 5 6      tile 1 takes long, and block 2 starts last
///   blocks of 3     0 1 2 0 0 2 0
///
/// **Offers** what `ticket` offers.
///
/// **Preconditions and effects**: those of `ticket`. A block that starts late keeps its first tile waiting.
///
/// **Cost**: that of `ticket`.
///
/// **Example** (tests/schedule/interleavings.cpp):
///
///     const numbered_ticket scheduler{order, state.data()};
template <tile_order Order = row_major>
class numbered_ticket : public detail::schedule::drawn_by_one<numbered_ticket<Order>, Order> {
 public:
  /// Builds the scheduler from its order and its state on the device.
  HEDDLE_HOST numbered_ticket(Order order, void* device_state)
      : detail::schedule::drawn_by_one<numbered_ticket<Order>, Order>(order),
        ticket_(row_major{{1, 1}}, device_state) {}

  /// Returns the bytes of a state, which do not depend on the order.
  HEDDLE_FN static decltype(sizeof 0) state_bytes() { return ticket<>::state_bytes(); }

  static constexpr bool persistent = true;  // a block takes several tiles, so `grid` launches what is resident

  /// Decides for one worker, in a kernel and under `laws::check_schedule` alike.
  template <class Machine>
  class draws : public ticket<>::draws<Machine> {
    using by_arrival = ticket<>::draws<Machine>;

   public:
    /// Decides for the worker that `machine` is.
    template <class Storage>
    HEDDLE_FN draws(const numbered_ticket& scheduler, Machine machine, Storage& shared)
        : by_arrival(scheduler.ticket_, machine, shared), machine_(machine) {}

    /// Enters the launch, and returns the number of the worker.
    HEDDLE_FN unsigned first() {
      by_arrival::first();
      return machine_.worker();
    }

    /// Returns the number of the worker, once it has entered.
    HEDDLE_FN unsigned entered() {
      by_arrival::entered();
      return machine_.worker();
    }

   private:
    Machine machine_;
  };

 private:
  ticket<> ticket_;
};

template <class Order>
numbered_ticket(Order, void*) -> numbered_ticket<detail::as_tile_order<Order>>;

static_assert(tile_scheduler<numbered_ticket<row_major>>);

}}  // namespace heddle::HEDDLE_ABI

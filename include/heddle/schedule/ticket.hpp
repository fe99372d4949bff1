#pragma once

#include <heddle/detail/device_state.hpp>
#include <heddle/schedule/detail/scheduler_base.hpp>

namespace heddle::inline HEDDLE_ABI {

/// Persistent and dynamic: whoever is done draws the next tile from one atomic counter. Blocks that had
/// short tiles, or started late, end together with the others.
///
/// The state is the caller's: `ticket<>::state_bytes()` bytes on the device, zeroed once. It serves one
/// launch after another, and no two at once. Every block must reach `tiles` (or `lead`), and may leave at will.
///
/// **Offers** `tiles(smem)`, a range for all threads of the block together; `start(smem, followers)`, `lead(smem)` and
/// `follow(smem)` for roles that walk it at their own pace; `grid(kernel, threads, dynamic_smem, cap)`, the launch; and
/// `order()`.
template <tile_order Order = row_major>
class ticket : public detail::schedule::drawn_by_one<ticket<Order>, Order> {
  using state = detail::alternating<detail::counter>;

 public:
  HEDDLE_HOST ticket(Order order, void* device_state)
      : detail::schedule::drawn_by_one<ticket<Order>, Order>(order),
        state_(detail::require_state<state>("heddle::ticket: state", device_state)) {}

  HEDDLE_FN static decltype(sizeof 0) state_bytes() { return sizeof(state); }

  static constexpr bool persistent = true;

  /// The number on entry is the first ticket, and the counter gives those that follow.
  template <class Machine>
  class draws {
   public:
    template <class Storage>
    HEDDLE_FN draws(const ticket& scheduler, Machine machine, Storage&) : machine_(machine), state_(scheduler.state_) {}

    HEDDLE_FN unsigned first() {
      const auto [counter, number] = state_->enter(machine_);
      counter->enter(machine_);
      counter_ = counter;
      return number;
    }

    HEDDLE_FN void ask() { answer_ = counter_->draw(machine_); }

    HEDDLE_FN unsigned next(unsigned) const {
      return machine_.workers() + detail::counter::drawn(answer_, machine_);  // below 2^32
    }

   private:
    Machine machine_;
    state* state_;
    detail::counter* counter_ = nullptr;
    detail::word64 answer_ = 0;
  };

 private:
  state* state_;
};

template <class Order>
ticket(Order, void*) -> ticket<detail::as_tile_order<Order>>;

static_assert(tile_scheduler<ticket<row_major>>);

}  // namespace heddle::inline HEDDLE_ABI

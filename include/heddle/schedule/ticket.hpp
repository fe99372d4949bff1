#pragma once

#include <heddle/detail/device_state.hpp>
#include <heddle/schedule/detail/scheduler_base.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Lets each block that is done draw the next tile from one atomic counter. Uneven tiles and blocks that start late are
/// evened out.
///
///   tiles           0 1 2 3 4 5 6      tile 1 takes long
///   blocks of 3     0 1 2 0 2 0 2
///
/// Over a `cluster_order` each cluster draws once for all its blocks.
///
/// **Offers** `tiles(smem)`, the block's tiles as a range for all threads of the block together; `start(smem,
/// followers)`, `lead(smem)` and `follow(smem)`, the same tiles for roles that each go at their own pace; `grid(kernel,
/// threads, dynamic_smem, cap)`, the launch; and `order()`.
///
/// **Preconditions**: the grid has one dimension, of any number of blocks. The state is `state_bytes()` bytes on the
/// device, zeroed once by the caller, and not of another kind of scheduler. One launch at a time uses it. Every block
/// reaches `tiles` or `lead`, once per launch, and may leave its loop early.
///
/// **Effects**: each tile is visited once per launch. The state is ready for the next launch when the launch ends.
///
/// **Cost**: 48 bytes of shared memory. Per tile one atomic addition by one thread, answered while the tile is worked
/// on, and in the loop one barrier of the block. The next index and the answer stay in registers.
///
/// **Example** (examples/02_schedule/drawn.cu):
///
///     __shared__ heddle::static_shared<typename Scheduler::storage> smem;
///     for (const auto [tile_row, tile_col] : scheduler.tiles(smem)) grade_tile(in, out, curve, tile_row, tile_col);
///     …
///       check(cudaMalloc(&state, heddle::ticket<>::state_bytes()));
///       check(cudaMemset(state, 0, heddle::ticket<>::state_bytes()));
///     …
///     const heddle::ticket scheduler{heddle::cta_swizzle{grid, 8, heddle::axis::x}, state};
template <tile_order Order = row_major>
class ticket : public detail::schedule::drawn_by_one<ticket<Order>, Order> {
  using state = detail::alternating<detail::counter>;

 public:
  /// Builds the scheduler from its order and its state on the device.
  HEDDLE_HOST ticket(Order order, void* device_state)
      : detail::schedule::drawn_by_one<ticket<Order>, Order>(order),
        state_(detail::require_state<state>("heddle::ticket: state", device_state)) {}

  /// Returns the bytes of a state, which do not depend on the order.
  HEDDLE_FN static decltype(sizeof 0) state_bytes() { return sizeof(state); }

  static constexpr bool persistent = true;  // a block takes several tiles, so `grid` launches what is resident

  /// Decides for one worker, in a kernel and under `laws::check_schedule` alike. The number on entry is the worker's
  /// first tile, and the counter gives the others.
  template <class Machine>
  class draws {
   public:
    /// Decides for the worker that `machine` is.
    template <class Storage>
    HEDDLE_FN draws(const ticket& scheduler, Machine machine, Storage&) : machine_(machine), state_(scheduler.state_) {}

    /// Enters the launch, and returns how many workers entered before.
    HEDDLE_FN unsigned first() {
      enter();
      return entered();
    }

    /// Starts to enter the launch.
    HEDDLE_FN void enter() { answer_ = state_->ask_to_enter(machine_); }

    /// Returns how many workers entered before.
    HEDDLE_FN unsigned entered() {
      const auto [counter, number] = state_->entered_by(static_cast<unsigned>(answer_), machine_);
      counter->enter(machine_);
      counter_ = counter;
      return number;
    }

    /// Starts the next draw.
    HEDDLE_FN void ask() { answer_ = counter_->draw(machine_); }

    /// Returns what was drawn.
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

}}  // namespace heddle::HEDDLE_ABI

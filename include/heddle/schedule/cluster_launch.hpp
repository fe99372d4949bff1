#pragma once

#include <heddle/schedule/detail/scheduler_base.hpp>

namespace heddle::inline HEDDLE_ABI {

/// As many blocks as tiles, of which only those that find room start: a block that is done takes over one
/// that has not started (cluster launch control, sm_100 and newer). The hardware is the counter, so that
/// there is no state, and kernels of higher priority find room between tiles.
///
/// Below sm_100 every block does its one tile.
///
/// **Offers** `tiles(smem)`, a range for all threads of the block together; `start(smem, followers)`, `lead(smem)` and
/// `follow(smem)` for roles that walk it at their own pace; `grid(kernel, threads, dynamic_smem)`, the launch; and
/// `order()`.
template <tile_order Order>
class cluster_launch
    : public detail::schedule::drawn_by_one<cluster_launch<Order>, Order, detail::schedule::cancellation> {
 public:
  using detail::schedule::drawn_by_one<cluster_launch<Order>, Order, detail::schedule::cancellation>::drawn_by_one;

  static constexpr bool persistent = false;

  template <class Machine>
  class draws {
   public:
    HEDDLE_FN draws(const cluster_launch&, Machine machine, detail::schedule::cancellation& shared)
        : machine_(machine), shared_(&shared) {}

    HEDDLE_FN unsigned first() const {
      machine_.begin_canceling(*shared_);
      return machine_.worker();
    }

    HEDDLE_FN void ask() {
      machine_.ask_to_cancel(*shared_);
      asked_ = true;
    }

    HEDDLE_FN unsigned next(unsigned) {
      machine_.wait_for_answer(*shared_, turn_++);
      asked_ = false;
      return machine_.canceled(*shared_, detail::schedule::no_tile);
    }

    /// Of a loop that was left early: the answer under way comes to the memory of this block.
    HEDDLE_FN void leave() const {
      if (asked_) machine_.wait_for_answer(*shared_, turn_);
    }

   private:
    Machine machine_;
    detail::schedule::cancellation* shared_;
    unsigned turn_ = 0;
    bool asked_ = false;
  };
};

template <class Order>
cluster_launch(Order) -> cluster_launch<detail::as_tile_order<Order>>;

static_assert(tile_scheduler<cluster_launch<row_major>>);

}  // namespace heddle::inline HEDDLE_ABI

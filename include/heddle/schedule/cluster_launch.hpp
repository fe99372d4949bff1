#pragma once

#include <heddle/schedule/detail/scheduler_base.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Lets a block that is done take over the tile of a block that has not started, by the hardware of sm_100 and newer.
///
/// The launch has a block per tile, of which only those start that find room. The hardware (cluster launch control) is
/// the counter, so there is no state, and kernels of higher priority find room between tiles. Before sm_100 every block
/// does its own tile, as with `one_shot`. Over a `cluster_order` a cluster takes over a cluster.
///
/// **Offers** `tiles(smem)`, the block's tiles as a range for all threads of the block together; `start(smem,
/// followers)`, `lead(smem)` and `follow(smem)`, the same tiles for roles that each go at their own pace; `grid(kernel,
/// threads, dynamic_smem)`, the launch; and `order()`.
///
/// **Preconditions**: the grid has one dimension, and at least as many blocks as the order has tiles. All threads of a
/// block run one loop per launch, or each role runs one.
///
/// **Effects**: each tile is visited once per launch. A block that leaves its loop early loses a tile that it took
/// over. The hardware may answer that there is no block to take over although some have not started. Then the loop
/// ends, and each of those blocks starts later and does its own tile. So the end of a loop says nothing of the launch:
/// not that all tiles are taken, nor that this block is one of the last.
///
/// **Cost**: 80 bytes of shared memory; one barrier of the block per tile in the loop. On sm_100 and newer the hardware
/// answers while the tile is worked on. It is compiled for those, and has not been run there.
///
/// **Example** (examples/02_schedule/each.cu):
///
///     __shared__ heddle::static_shared<typename Scheduler::storage> smem;
///     for (const auto [tile_row, tile_col] : scheduler.tiles(smem)) grade_tile(in, out, curve, tile_row, tile_col);
///     …
///     const heddle::cluster_launch scheduler{order_of(in)};
///     return heddle::launch({.threads = threads}, grade, scheduler, in, out, by);
template <tile_order Order>
class cluster_launch
    : public detail::schedule::drawn_by_one<cluster_launch<Order>, Order, detail::schedule::cancellation> {
 public:
  /// Builds the scheduler from its order.
  using detail::schedule::drawn_by_one<cluster_launch<Order>, Order, detail::schedule::cancellation>::drawn_by_one;

  static constexpr bool persistent = false;  // `grid` launches a worker per tile

  /// Decides for one worker, in a kernel and under `laws::check_schedule` alike.
  template <class Machine>
  class draws {
   public:
    /// Decides for the worker that `machine` is. `shared` is the block's storage.
    HEDDLE_FN draws(const cluster_launch&, Machine machine, detail::schedule::cancellation& shared)
        : machine_(machine), shared_(&shared) {}

    /// Returns the number of the worker, and initialises the barrier of the answers.
    HEDDLE_FN unsigned first() const {
      machine_.begin_canceling(*shared_);
      return machine_.worker();
    }

    /// Asks the hardware for a worker that has not started.
    HEDDLE_FN void ask() {
      machine_.ask_to_cancel(*shared_);
      asked_ = true;
    }

    /// Waits for the answer, and returns the worker taken over, or no tile.
    HEDDLE_FN unsigned next(unsigned) {
      machine_.wait_for_answer(*shared_, turn_++);
      asked_ = false;
      return machine_.canceled(*shared_, detail::schedule::no_tile);
    }

    /// Waits for an answer that is under way when the loop is left early: it is written to this block's shared memory.
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

}}  // namespace heddle::HEDDLE_ABI

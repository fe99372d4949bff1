#pragma once

#include <heddle/schedule/detail/scheduler_base.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Gives each block one tile, in a launch of as many blocks as tiles: what a kernel without a scheduler does.
///
///   tiles     0 1 2 3 4 5 6
///   blocks    0 1 2 3 4 5 6
///
/// Over a `cluster_order` each cluster has one cluster of tiles.
///
/// **Offers** `tiles(smem)`, the block's tiles as a range for all threads of the block together; `start(smem,
/// followers)`, `lead(smem)` and `follow(smem)`, the same tiles for roles that each go at their own pace; `grid(kernel,
/// threads, dynamic_smem)`, the launch; and `order()`.
///
/// **Preconditions**: the grid has one dimension, and at least as many blocks as the order has tiles.
///
/// **Effects**: each tile is visited once per launch. A block past the last tile does nothing.
///
/// **Cost**: no state, no shared memory, no barrier; the instructions and registers of the code by hand
/// (tests/codegen).
///
/// **Example** (examples/02_schedule/each.cu):
///
///     __shared__ heddle::static_shared<typename Scheduler::storage> smem;
///     for (const auto [tile_row, tile_col] : scheduler.tiles(smem)) grade_tile(in, out, curve, tile_row, tile_col);
///     …
///     const heddle::one_shot scheduler{order_of(in)};
///     return heddle::launch({.threads = threads}, grade, scheduler, in, out, by);
template <tile_order Order>
class one_shot : public detail::schedule::known_to_all<one_shot<Order>, Order> {
 public:
  /// Builds the scheduler from its order.
  using detail::schedule::known_to_all<one_shot<Order>, Order>::known_to_all;

  static constexpr bool persistent = false;  // `grid` launches a worker per tile

  /// Decides for one worker, in a kernel and under `laws::check_schedule` alike.
  template <class Machine>
  class draws {
   public:
    /// Decides for the worker that `machine` is.
    template <class Storage>
    HEDDLE_FN draws(const one_shot&, Machine machine, Storage&) : machine_(machine) {}

    /// Returns the number of the worker.
    HEDDLE_FN unsigned first() const { return machine_.worker(); }
    /// Returns no tile: a worker has one.
    HEDDLE_FN unsigned next(unsigned) const { return detail::schedule::no_tile; }

   private:
    Machine machine_;
  };
};

template <class Order>
one_shot(Order) -> one_shot<detail::as_tile_order<Order>>;

static_assert(tile_scheduler<one_shot<row_major>>);

}}  // namespace heddle::HEDDLE_ABI

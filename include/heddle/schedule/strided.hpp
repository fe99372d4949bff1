#pragma once

#include <heddle/schedule/detail/scheduler_base.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Gives block b of G blocks the tiles b, b + G, b + 2G …, decided before the launch.
///
///   tiles     0 1 2 3 4 5 6
///   blocks    0 1 2 0 1 2 0
///
/// Over a `cluster_order` clusters are counted in place of blocks.
///
/// **Offers** `tiles(smem)`, the block's tiles as a range for all threads of the block together; `start(smem,
/// followers)`, `lead(smem)` and `follow(smem)`, the same tiles for roles that each go at their own pace; `grid(kernel,
/// threads, dynamic_smem, cap)`, the launch; and `order()`.
///
/// **Preconditions**: the grid has one dimension, of any number of blocks.
///
/// **Effects**: each tile is visited once per launch.
///
/// **Cost**: no state, no shared memory, no barrier; the instructions and registers of the loop by hand
/// (tests/codegen).
///
/// **Example** (examples/02_schedule/after.cu):
///
///     __shared__ heddle::static_shared<typename Scheduler::storage> smem;
///     for (const auto [tile_row, tile_col] : scheduler.tiles(smem)) grade_tile(in, out, curve, tile_row, tile_col);
///     …
///     const heddle::strided scheduler{heddle::row_major{{rows, cols}}};
///     return heddle::launch({.threads = threads}, grade, scheduler, in, out, by);
template <tile_order Order>
class strided : public detail::schedule::known_to_all<strided<Order>, Order> {
 public:
  /// Builds the scheduler from its order.
  using detail::schedule::known_to_all<strided<Order>, Order>::known_to_all;

  static constexpr bool persistent = true;  // a block takes several tiles, so `grid` launches what is resident

  /// Decides for one worker, in a kernel and under `laws::check_schedule` alike.
  template <class Machine>
  class draws {
   public:
    /// Decides for the worker that `machine` is.
    template <class Storage>
    HEDDLE_FN draws(const strided&, Machine machine, Storage&) : machine_(machine) {}

    /// Returns the number of the worker.
    HEDDLE_FN unsigned first() const { return machine_.worker(); }
    /// Returns the index one stride on.
    HEDDLE_FN unsigned next(unsigned index) const { return index + machine_.workers(); }  // below 2^32

   private:
    Machine machine_;
  };
};

template <class Order>
strided(Order) -> strided<detail::as_tile_order<Order>>;

static_assert(tile_scheduler<strided<row_major>>);

}}  // namespace heddle::HEDDLE_ABI

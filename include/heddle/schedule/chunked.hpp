#pragma once

#include <heddle/schedule/detail/scheduler_base.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Gives each block one contiguous run of the order, decided before the launch. Runs differ by at most one tile.
///
///   tiles     0 1 2 3 4 5 6
///   blocks    0 0 0 1 1 2 2
///
/// Over a `cluster_order` each cluster has a run.
///
/// **Offers** `tiles(smem)`, the block's tiles as a range for all threads of the block together; `start(smem,
/// followers)`, `lead(smem)` and `follow(smem)`, the same tiles for roles that each go at their own pace; `grid(kernel,
/// threads, dynamic_smem, cap)`, the launch; and `order()`.
///
/// **Preconditions**: the grid has one dimension, of any number of blocks.
///
/// **Effects**: each tile is visited once per launch.
///
/// **Cost**: no state, no shared memory, no barrier. One division per loop, in every thread.
///
/// **Example** (examples/02_schedule/each.cu):
///
///     __shared__ heddle::static_shared<typename Scheduler::storage> smem;
///     for (const auto [tile_row, tile_col] : scheduler.tiles(smem)) grade_tile(in, out, curve, tile_row, tile_col);
///     …
///     const heddle::chunked scheduler{order_of(in)};
///     return heddle::launch({.threads = threads}, grade, scheduler, in, out, by);
template <tile_order Order>
class chunked : public detail::schedule::known_to_all<chunked<Order>, Order> {
 public:
  /// Builds the scheduler from its order.
  using detail::schedule::known_to_all<chunked<Order>, Order>::known_to_all;

  static constexpr bool persistent = true;  // a block takes several tiles, so `grid` launches what is resident

  /// Decides for one worker, in a kernel and under `laws::check_schedule` alike.
  template <class Machine>
  class draws {
   public:
    /// Decides for the worker that `machine` is.
    template <class Storage>
    HEDDLE_FN draws(const chunked& scheduler, Machine machine, Storage&)
        : machine_(machine), size_(static_cast<unsigned>(scheduler.order().size())) {}

    /// Returns the first index of the worker's run.
    HEDDLE_FN unsigned first() {
      const unsigned worker = machine_.worker(), workers = machine_.workers();
      const unsigned share = size_ / workers, longer = size_ % workers;  // `longer` runs have one tile more
      const unsigned begin = worker * share + (worker < longer ? worker : longer);
      end_ = begin + share + (worker < longer ? 1 : 0);
      return begin < end_ ? begin : detail::schedule::no_tile;
    }

    /// Returns the index after `index`; past the run it is no tile.
    HEDDLE_FN unsigned next(unsigned index) const { return index + 1 < end_ ? index + 1 : detail::schedule::no_tile; }

   private:
    Machine machine_;
    unsigned size_, end_ = 0;
  };
};

template <class Order>
chunked(Order) -> chunked<detail::as_tile_order<Order>>;

static_assert(tile_scheduler<chunked<row_major>>);

}}  // namespace heddle::HEDDLE_ABI

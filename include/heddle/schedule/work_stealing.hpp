#pragma once

#include <heddle/detail/device_state.hpp>
#include <heddle/schedule/detail/scheduler_base.hpp>
#include <heddle/schedule/detail/tallies.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Deals tiles out like `strided`, and lets a block that has used up its own tiles take those of blocks that are late.
///
/// Of G blocks, block b takes b, b + G, b + 2G …: its lane. A block whose lane is used up takes the next tile of the
/// lane that has most tiles left, again and again. From 256 blocks on there are 256 lanes, and the blocks b, b + 256 …
/// share one.
///
///   tiles     0 1 2 3 4 5 6 7 8      three blocks; block 2 starts late
///   blocks    0 1 0 0 1 1 0 1 2
///
/// Over a `cluster_order` clusters are counted in place of blocks, and each draws once for all its blocks.
///
/// **Offers** `tiles(smem)`, the block's tiles as a range for all threads of the block together; `start(smem,
/// followers)`, `lead(smem)` and `follow(smem)`, the same tiles for roles that each go at their own pace; `grid(kernel,
/// threads, dynamic_smem, cap)`, the launch; and `order()`.
///
/// **Preconditions**: the grid has one dimension, of any number of blocks. The state is `state_bytes()` bytes on the
/// device, zeroed once by the caller, and not of another kind of scheduler. One launch at a time uses it. Every block
/// reaches `tiles` or `lead`, once per launch, and may leave its loop early.
///
/// **Effects**: each tile is visited once per launch. No block waits for another. The state is ready for the next
/// launch when the launch ends.
///
/// **Cost**: 48 bytes of shared memory. Per tile one atomic addition by one thread, answered while the tile is worked
/// on, and in the loop one barrier of the block. Before each tile of another lane, and at its end, a block reads the
/// counters of all lanes, 16 at a time, and waits for them.
///
/// **Example** (tests/gpu/work_stealing.cu):
///
///     device_array<char> state(work_stealing<>::state_bytes(), 0);
///     const work_stealing scheduler{cta_swizzle{{37, 41}, 8}, state.data()};
///     const auto kernel = in_a_loop<work_stealing<cta_swizzle>>;
///     check(launch(scheduler.grid(kernel, block_threads), on, kernel, scheduler, visits.data(), -1));
template <tile_order Order = row_major>
class work_stealing : public detail::schedule::drawn_by_one<work_stealing<Order>, Order> {
  static constexpr unsigned most_lanes = 256;  // more than any GPU has multiprocessors
  static constexpr unsigned batch = 16;        // counters that are read at once; divides `most_lanes`

  // Per lane the draws from it: its tiles and at most one failure per worker, below 2^32.
  using counters = detail::schedule::tallies<most_lanes>;
  using state = detail::alternating<counters>;

 public:
  /// Builds the scheduler from its order and its state on the device.
  HEDDLE_HOST work_stealing(Order order, void* device_state)
      : detail::schedule::drawn_by_one<work_stealing<Order>, Order>(order),
        state_(detail::require_state<state>("heddle::work_stealing: state", device_state)) {}

  /// Returns the bytes of a state, which do not depend on the order.
  HEDDLE_FN static decltype(sizeof 0) state_bytes() { return sizeof(state); }

  static constexpr bool persistent = true;  // a block takes several tiles, so `grid` launches what is resident

  /// Decides for one worker, in a kernel and under `laws::check_schedule` alike. It draws ahead from its own lane only:
  /// which other lane has most tiles left is known when a tile is needed.
  template <class Machine>
  class draws {
   public:
    /// Decides for the worker that `machine` is.
    template <class Storage>
    HEDDLE_FN draws(const work_stealing& scheduler, Machine machine, Storage&)
        : machine_(machine), state_(scheduler.state_), size_(static_cast<unsigned>(scheduler.order().size())) {}

    /// Enters the launch, and draws the first index.
    HEDDLE_FN unsigned first() {
      const auto [all, number] = state_->enter(machine_);
      all->launch.enter(machine_);
      if (number == 0) machine_.store(&all->used, lanes());
      counters_ = all;
      answer_ = draw(own_lane());
      return next(0);
    }

    /// Starts the next draw from the worker's own lane, unless the last draw has shown that the lane is used up.
    HEDDLE_FN void ask() {
      answer_ = tile(own_lane(), answer_ + detail::word64{1}) < size_ ? draw(own_lane()) : used_up;
    }

    /// Returns what was drawn, or draws from another lane.
    HEDDLE_FN unsigned next(unsigned) {
      counters_->launch.check_launch(machine_);
      const detail::word64 own = tile(own_lane(), answer_);
      if (own < size_) return static_cast<unsigned>(own);
      answer_ = used_up;
      return steal();
    }

   private:
    static constexpr unsigned used_up = ~0u;  // in place of an answer; names no tile of any lane

    struct remainder {
      unsigned lane, tiles;
    };

    HEDDLE_FN unsigned lanes() const { return machine_.workers() < most_lanes ? machine_.workers() : most_lanes; }
    HEDDLE_FN unsigned own_lane() const { return machine_.worker() % lanes(); }
    HEDDLE_FN unsigned draw(unsigned lane) const { return machine_.add(&counters_->count[lane], 1u); }

    /// The index that a draw from a lane gives. It is past the end if the lane is used up, and then past 32 bits too.
    HEDDLE_FN detail::word64 tile(unsigned lane, detail::word64 drawn) const { return lane + drawn * lanes(); }

    /// Draws from the fullest lane. A draw fails at most once per lane: the lane is used up, and its counter shows it.
    HEDDLE_FN unsigned steal() const {
      while (true) {
        const remainder from = fullest();
        if (from.tiles == 0) return detail::schedule::no_tile;
        const detail::word64 stolen = tile(from.lane, draw(from.lane));
        if (stolen < size_) return static_cast<unsigned>(stolen);
      }
    }

    /// Returns the lane with the most tiles left, the first among equals.
    HEDDLE_FN remainder fullest() const {
      const unsigned count = lanes(), whole = size_ / count, longer = size_ % count;
      remainder most{0, 0};
      for (unsigned begin = 0; begin < count; begin += batch) {
        unsigned drawn[batch];  // all loads of a batch are under way before the first is used
        for (unsigned i = 0; i < batch; ++i) drawn[i] = machine_.load(&counters_->count[begin + i]);
        for (unsigned i = 0; i < batch; ++i) {
          const unsigned lane = begin + i, tiles = lane < count ? whole + (lane < longer) : 0;
          if (tiles > drawn[i] && tiles - drawn[i] > most.tiles) most = {lane, tiles - drawn[i]};
        }
      }
      return most;
    }

    Machine machine_;
    state* state_;
    unsigned size_;
    counters* counters_ = nullptr;
    unsigned answer_ = 0;
  };

 private:
  state* state_;
};

template <class Order>
work_stealing(Order, void*) -> work_stealing<detail::as_tile_order<Order>>;

static_assert(tile_scheduler<work_stealing<row_major>>);

}}  // namespace heddle::HEDDLE_ABI

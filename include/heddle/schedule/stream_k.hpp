#pragma once

#include <heddle/schedule/detail/scheduler_base.hpp>
#include <heddle/schedule/detail/tile_division.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Splits the tiles of an incomplete wave along k, so that all blocks end together; whole waves stay whole tiles.
///
/// A tile is a sum of `k_steps` steps. Of G blocks, those that share tiles do their parts first, and then go on with
/// whole tiles. Everything is decided before the launch.
///
///   5 tiles of 40 steps,    block 0   tile 0, steps  0 to 10    tile 1
///   4 blocks                block 1   tile 0, steps 10 to 20    tile 2
///                           block 2   tile 0, steps 20 to 30    tile 3
///                           block 3   tile 0, steps 30 to 40    tile 4
///
/// A block with a part of a tile stores its sum in slot `share.slot`, and calls `arrive`. The block that arrives last
/// adds up `share.count` slots from `share.first` on. They are in the order of k, so the result does not depend on
/// which block was last. No block waits for another.
///
/// At most `sharers` workers share tiles. With 0, tiles are dealt out as by `strided`, and no state is needed. Over a
/// `cluster_order` a cluster is a worker, and each of its blocks has sums of its own.
///
/// **Offers** `tiles(smem)`, the block's parts as a range for all threads of the block; `start(smem, followers)`,
/// `lead(smem)` and `follow(smem)`, the same parts for roles that each go at their own pace; `grid(kernel, threads,
/// dynamic_smem, cap)`, the launch; `order()`; and `enter()`, which returns what counts arrivals.
///
/// **Preconditions**: the grid has one dimension, of any number of blocks. The state is `state_bytes(blocks in a
/// cluster)` bytes on the device, zeroed once by the caller. One launch at a time uses it. One thread of every block
/// calls `enter`. Only `enter` and `arrive` touch the state: in a programmatic launch the first part can be found
/// before `wait_for_launch_before`.
///
/// **Effects**: each step of each tile is done once per launch, and one block per split tile arrives last. The state is
/// ready for the next launch when the launch ends.
///
/// **Cost**: no shared memory, and no barrier in the loop. A part of a split tile takes a slot of memory, one atomic
/// addition and two fences.
///
/// **Example** (tests/gpu/stream_k.cu):
///
///     const auto arrivals = thread == 0 ? scheduler.enter() : typename Scheduler::arriving();
///     int turn = 0;
///     for (const auto [where, begin, end, share] : scheduler.tiles(smem)) {
///     …
///       if (share.count > 1) {
///         __stcg(&sums[share.slot * loop_threads + thread], total);
///         __syncthreads();
///         if (thread == 0) is_last = arrivals.arrive(share);
template <tile_order Order = row_major>
class stream_k : public detail::schedule::known_to_all<stream_k<Order>, Order> {
  static_assert(
      !bounds_tiles<Order>,
      "heddle::stream_k: the host divides the tiles, and only the device knows those of this order. Take ticket");

  using state = detail::alternating<detail::schedule::parts_of_tiles>;

 public:
  static constexpr int most_sharers = detail::schedule::parts_of_tiles::most;  // the limit of `sharers`
  static constexpr bool persistent = true;  // a block takes several tiles, so `grid` launches what is resident

  /// Builds the scheduler from its order, the steps of a tile, the most workers that share tiles, and the state.
  HEDDLE_HOST stream_k(Order order, long long k_steps, long long sharers, void* device_state)
      : detail::schedule::known_to_all<stream_k<Order>, Order>(order),
        k_steps_(detail::require_at_least(0, "heddle::stream_k: k_steps", k_steps)),
        sharers_(detail::require_at_least(0, "heddle::stream_k: sharers", sharers)),
        state_(sharers == 0 ? nullptr : detail::require_state<state>("heddle::stream_k: state", device_state)) {
    detail::require_at_most(detail::schedule::division::most_steps, "heddle::stream_k: k_steps", k_steps);
    detail::require_at_most(most_sharers, "heddle::stream_k: sharers", sharers);
  }

  /// Returns the bytes of a state. They do not depend on the order, but for the blocks in a cluster.
  HEDDLE_FN static decltype(sizeof 0) state_bytes(int blocks_in_cluster = 1) {
    return sizeof(state) * static_cast<unsigned>(blocks_in_cluster);
  }

  /// Returns for how many partial sums the caller must have slots.
  HEDDLE_FN static int slots(int sharers, int blocks_in_cluster = 1) { return 2 * sharers * blocks_in_cluster; }

  /// Returns the steps of a tile.
  HEDDLE_FN int k_steps() const { return k_steps_; }

  /// Names the slot of one partial sum of a tile, and the slots of all of them.
  struct sums {
    int tile, slot, first, count;  // the tile's index; this part's slot; `count` slots from `first` on
  };

  /// Steps [begin, end) of a tile.
  struct part {
    typename detail::schedule::tile_of_block<Order>::type tile;  // what the order calls it
    int begin, end;                                              // steps
    sums share;                                                  // `share.count` is 1 for a whole tile
  };

  /// Numbers the parts of one worker, in a kernel and under `laws::check_split_schedule` alike.
  template <class Machine>
  class draws {
   public:
    /// Decides for the worker that `machine` is.
    HEDDLE_FN draws(const stream_k& scheduler, Machine machine)
        : scheduler_(&scheduler), machine_(machine), division_(scheduler.division(machine)) {}

    /// Returns the end of the numbers.
    HEDDLE_FN unsigned size() const { return division_.size(); }
    /// Returns the number of the worker's first part.
    HEDDLE_FN unsigned first() const { return division_.first(machine_.worker()); }
    /// Returns the number of the worker's part after `number`.
    HEDDLE_FN unsigned next(unsigned number) const { return division_.next(number, machine_.worker()); }

    /// Returns the part of this number.
    HEDDLE_FN part at(unsigned number) const {
      const auto [tile, begin, end, first, count] = division_(number, machine_.worker());
      const int rank = static_cast<int>(machine_.rank()), before = rank * slots(scheduler_->sharers_);
      return {scheduler_->tile(static_cast<int>(tile), rank),
              begin,
              end,
              {static_cast<int>(tile), before + static_cast<int>(number), before + static_cast<int>(first),
               static_cast<int>(count)}};
    }

   private:
    const stream_k* scheduler_;
    Machine machine_;
    detail::schedule::division division_;
  };

  /// Counts the blocks that have stored their sum of a tile, in a kernel and under `laws::check_split_schedule` alike.
  template <class Machine>
  class arrivals {
   public:
    /// Builds what may not `arrive`, for threads that did not enter.
    arrivals() = default;
    /// Enters the launch.
    HEDDLE_FN arrivals(const stream_k& scheduler, Machine machine) : machine_(machine) {
      const unsigned split = scheduler.division(machine).split_tiles();
      if (split == 0) return;
      const auto [tallies, number] = scheduler.state_[machine.rank()].enter(machine);
      tallies->launch.enter(machine);
      if (number == 0) machine.store(&tallies->used, split);
      tallies_ = tallies;
    }

    /// Counts this block's sum as stored, and returns whether it is the last of its tile.
    HEDDLE_FN bool arrive(const sums& from) const {
      tallies_->launch.check_launch(machine_);
      machine_.fence();
      const unsigned before = machine_.add(&tallies_->count[from.tile], 1u);
      machine_.fence();
      return before + 1 == static_cast<unsigned>(from.count);
    }

   private:
    [[no_unique_address]] Machine machine_;
    detail::schedule::parts_of_tiles* tallies_ = nullptr;
  };

#if defined(__CUDACC__)
 private:
  using machine = detail::gpu<cluster_order<Order>>;

 public:
  /// Walks the parts of a block: a cursor, and a range.
  template <class Machine>
  class range : public detail::as_range<range<Machine>, part> {
   public:
    /// Begins with the first part of the worker that `on` is.
    HEDDLE_DEVICE range(const stream_k& scheduler, Machine on) : draws_(scheduler, on), number_(draws_.first()) {}

    /// Returns whether there is a part.
    HEDDLE_DEVICE explicit operator bool() const { return number_ < draws_.size(); }
    /// Returns the number of the part.
    HEDDLE_DEVICE int index() const { return static_cast<int>(number_); }
    /// Returns the part.
    HEDDLE_DEVICE part operator*() const { return draws_.at(number_); }
    /// Goes on to the next part.
    HEDDLE_DEVICE range& operator++() {
      number_ = draws_.next(number_);
      return *this;
    }

   private:
    draws<Machine> draws_;
    unsigned number_;
  };

  /// Returns the range that `tiles`, `lead` and `follow` return.
  template <class Machine>
  HEDDLE_DEVICE range<Machine> range_of(typename stream_k::storage&, Machine on) const {
    return {*this, on};
  }

  /// Counts arrivals in a kernel, for the thread that called `enter`.
  class arriving {
   public:
    /// Builds what may not `arrive`, for the other threads of the block.
    arriving() = default;
    /// Enters the launch: what `enter` does.
    HEDDLE_DEVICE explicit arriving(const stream_k& scheduler) : arrivals_(scheduler, {}) {}

    /// Counts this block's sum as stored, and returns whether it is the last of its tile. After the last, all sums of
    /// the tile can be read.
    ///
    /// **Preconditions**: a barrier after the stores of the block's threads; `from.count` above 1.
    ///
    /// **Cost**: one atomic addition and two fences of the device.
    HEDDLE_DEVICE bool arrive(const sums& from) const { return arrivals_.arrive(from); }

   private:
    arrivals<machine> arrivals_;
  };

  /// Enters the launch, and returns what counts arrivals.
  ///
  /// **Preconditions**: one thread of every block calls it once per launch: the thread that will call `arrive`.
  HEDDLE_DEVICE arriving enter() const {
    return arriving(*this);
  }
#endif

  /// Returns how many workers have a tile or a part: the most that `grid` launches.
  HEDDLE_FN unsigned most_workers() const {
    const unsigned tiles = this->size();
    const detail::word64 parts =
        detail::word64{tiles} * static_cast<unsigned>(k_steps_) / detail::schedule::division::least_steps;
    const auto sharers = static_cast<unsigned>(sharers_);
    const unsigned worth = parts < sharers ? static_cast<unsigned>(parts) : sharers;
    return tiles < worth ? worth : tiles;
  }

 private:
  template <class Machine>
  HEDDLE_FN detail::schedule::division division(Machine on) const {
    return {this->size(), k_steps_, sharers_, on.workers()};
  }

  HEDDLE_FN auto tile(int index, [[maybe_unused]] int rank) const {
    if constexpr (cluster_order<Order>) {
      return this->order().tile(index, rank);
    } else {
      return this->order()(index);
    }
  }

  int k_steps_, sharers_;
  state* state_;
};

template <class Order>
stream_k(Order, long long, long long, void*) -> stream_k<detail::as_tile_order<Order>>;

static_assert(split_scheduler<stream_k<row_major>> && !tile_scheduler<stream_k<row_major>>);

}}  // namespace heddle::HEDDLE_ABI

#pragma once

#include <heddle/schedule/detail/scheduler_base.hpp>
#include <heddle/schedule/detail/tile_division.hpp>

namespace heddle::inline HEDDLE_ABI {

/// Persistent and static, for tiles that are sums of `k_steps` steps. What does not fill a wave of G blocks is
/// split along k, so that all blocks end together; whole waves of whole tiles follow.
///
///   5 tiles of 40 steps,    block 0   tile 0, steps  0 to 10    tile 1
///   4 blocks                block 1   tile 0, steps 10 to 20    tile 2
///                           block 2   tile 0, steps 20 to 30    tile 3
///                           block 3   tile 0, steps 30 to 40    tile 4
///
/// A block with a part of a tile stores its sum in slot `share.slot`, and says so by `arrive`. The last to arrive
/// adds up the slots from `share.first`, `share.count` of them, which are in the order of k: the result is the same
/// whoever that was. Nobody waits.
///
/// At most `sharers` workers share tiles; 0 is none, which is `strided` and needs no state. The state is the
/// caller's: `stream_k<>::state_bytes(blocks in a cluster)` bytes on the device, zeroed once. It serves one launch
/// after another, and no two at once. One thread of every block must `enter`.
///
/// **Offers** `tiles(smem)`, a range of parts for all threads of the block; `start(smem, followers)`, `lead(smem)` and
/// `follow(smem)` for roles that walk it at their own pace; `grid(kernel, threads, dynamic_smem, cap)`, the launch;
/// `order()`; and `enter()`, which gives what `arrive`s.
template <tile_order Order = row_major>
class stream_k : public detail::schedule::known_to_all<stream_k<Order>, Order> {
  using state = detail::alternating<detail::schedule::tallies>;

 public:
  static constexpr int most_sharers = detail::schedule::tallies::most;
  static constexpr bool persistent = true;

  HEDDLE_HOST stream_k(Order order, int k_steps, int sharers, void* device_state)
      : detail::schedule::known_to_all<stream_k<Order>, Order>(order),
        k_steps_(detail::require_at_least(0, "heddle::stream_k: k_steps", k_steps)),
        sharers_(detail::require_at_least(0, "heddle::stream_k: sharers", sharers)),
        state_(sharers == 0 ? nullptr : detail::require_state<state>("heddle::stream_k: state", device_state)) {
    detail::require_at_most(detail::schedule::division::most_steps, "heddle::stream_k: k_steps", k_steps);
    detail::require_at_most(most_sharers, "heddle::stream_k: sharers", sharers);
  }

  HEDDLE_FN static decltype(sizeof 0) state_bytes(int blocks_in_cluster = 1) {
    return sizeof(state) * static_cast<unsigned>(blocks_in_cluster);
  }

  /// How many partial sums the caller must have room for.
  HEDDLE_FN static int slots(int sharers, int blocks_in_cluster = 1) { return 2 * sharers * blocks_in_cluster; }

  HEDDLE_FN int k_steps() const { return k_steps_; }

  /// Of `count` sums of one tile, in the slots from `first`, the one in `slot`.
  struct sums {
    int tile, slot, first, count;
  };

  /// Steps [begin, end) of a tile.
  struct part {
    typename detail::schedule::tile_of_block<Order>::type tile;
    int begin, end;
    sums share;
  };

  /// The numbers of a worker's parts, and what they stand for.
  template <class Machine>
  class draws {
   public:
    HEDDLE_FN draws(const stream_k& scheduler, Machine machine)
        : scheduler_(&scheduler), machine_(machine), division_(scheduler.division(machine)) {}

    HEDDLE_FN unsigned size() const { return division_.size(); }
    HEDDLE_FN unsigned first() const { return division_.first(machine_.worker()); }
    HEDDLE_FN unsigned next(unsigned number) const { return division_.next(number, machine_.worker()); }

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

  /// One thread's word that the sums of its block are stored.
  template <class Machine>
  class arrivals {
   public:
    arrivals() = default;  // of nobody
    HEDDLE_FN arrivals(const stream_k& scheduler, Machine machine) : machine_(machine) {
      const unsigned split = scheduler.division(machine).split_tiles();
      if (split == 0) return;
      const auto [tallies, number] = scheduler.state_[machine.rank()].enter(machine);
      tallies->launch.enter(machine);
      if (number == 0) machine.store(&tallies->used, split);
      tallies_ = tallies;
    }

    HEDDLE_FN bool arrive(const sums& from) const {
      tallies_->launch.check_launch(machine_);
      machine_.fence();
      const unsigned before = machine_.add(&tallies_->arrived[from.tile], 1u);
      machine_.fence();
      return before + 1 == static_cast<unsigned>(from.count);
    }

   private:
    [[no_unique_address]] Machine machine_;
    detail::schedule::tallies* tallies_ = nullptr;
  };

#if defined(__CUDACC__)
 private:
  using machine = detail::gpu<cluster_order<Order>>;

 public:
  /// The parts of a block.
  template <class Machine>
  class range : public detail::as_range<range<Machine>, part> {
   public:
    HEDDLE_DEVICE range(const stream_k& scheduler, Machine on) : draws_(scheduler, on), number_(draws_.first()) {}

    HEDDLE_DEVICE explicit operator bool() const { return number_ < draws_.size(); }
    HEDDLE_DEVICE int index() const { return static_cast<int>(number_); }
    HEDDLE_DEVICE part operator*() const { return draws_.at(number_); }
    HEDDLE_DEVICE range& operator++() {
      number_ = draws_.next(number_);
      return *this;
    }

   private:
    draws<Machine> draws_;
    unsigned number_;
  };

  template <class Machine>
  HEDDLE_DEVICE range<Machine> range_of(typename stream_k::storage&, Machine on) const {
    return {*this, on};
  }

  class arriving {
   public:
    arriving() = default;  // of the threads that do not
    HEDDLE_DEVICE explicit arriving(const stream_k& scheduler) : arrivals_(scheduler, {}) {}

    /// Behind a barrier of those who stored. True for the last of a tile, behind whom all its sums can be read.
    HEDDLE_DEVICE bool arrive(const sums& from) const { return arrivals_.arrive(from); }

   private:
    arrivals<machine> arrivals_;
  };

  /// For one thread of every block, once in a launch: the one that is to `arrive`.
  HEDDLE_DEVICE arriving enter() const {
    return arriving(*this);
  }
#endif

  /// Those for whom there is a tile, or a part.
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
stream_k(Order, int, int, void*) -> stream_k<detail::as_tile_order<Order>>;

static_assert(split_scheduler<stream_k<row_major>> && !tile_scheduler<stream_k<row_major>>);

}  // namespace heddle::inline HEDDLE_ABI

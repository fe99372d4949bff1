#pragma once

#include <heddle/detail/device_state.hpp>
#include <heddle/launch/chip_map.hpp>
#include <heddle/schedule/detail/tile_walks.hpp>

namespace heddle::inline HEDDLE_ABI {

namespace detail::schedule {

#if defined(__CUDACC__)
/// The GPU, for a worker that has another number than the hardware gave it.
template <bool Clusters>
struct seated : gpu<Clusters> {
  unsigned number;

  HEDDLE_DEVICE explicit seated(unsigned seat) : number(seat) {}
  HEDDLE_DEVICE unsigned worker() const { return number; }
};
#endif

}  // namespace detail::schedule

/// Numbers for the workers of a launch, so that neighbours in number are neighbours on the chip. The hardware deals
/// blocks round the GPCs; with seats, and an order whose next tiles share data, what one GPC loads is much the same.
///
///   GPC                          0   0   0   1   1   1
///   number from the hardware     0   2   4   1   3   5
///   seat, in runs of 3           0   1   2   3   4   5
///
/// A worker takes the seat of its multiprocessor, or, should that be taken, another that is free: wherever the workers
/// run and however many, each number below their count is given once. A scheduler is told by its last argument:
/// `scheduler.tiles(storage, seats.take(seat))`, and its workers are called by their seats.
///
/// The state is the caller's: `seats::state_bytes()` bytes on the device, zeroed once. It serves one launch after
/// another, and no two at once. Every worker must `take`. Without a state workers keep their numbers.
class seats {
 public:
  static constexpr unsigned most_workers = 8192;  // more than are resident on any GPU

 private:
  struct state {
    detail::word64 taken[most_workers / 64];
    detail::counter launch;  // in builds with checks, its name
    unsigned arrived;
  };

 public:
  seats() = default;

  /// A worker has `blocks_in_worker` blocks, of which a multiprocessor holds one. As many seats as are in a `run` come
  /// from one group of the map: the width of the bands, where the order has some.
  HEDDLE_HOST seats(const chip_map& map, int blocks_in_worker, int run, void* device_state)
      : state_(detail::require_state<state>("heddle::seats: state", device_state)) {
    constexpr int most = chip_map::most;
    const int processors = detail::require_at_least(1, "heddle::seats: multiprocessors", map.multiprocessors);
    const int blocks = detail::require_at_least(1, "heddle::seats: blocks_in_worker", blocks_in_worker);
    detail::require_at_least(1, "heddle::seats: run", run);
    detail::require_at_most(most, "heddle::seats: multiprocessors", processors);
    detail::require_at_most(most, "heddle::seats: blocks_in_worker", blocks);
    detail::require_at_most(most, "heddle::seats: run", run);
    const int in_run = run * blocks;
    for (unsigned short& seat : seat_) seat = nobodys;
    // First the groups' whole runs, then what is left.
    int next = 0;
    for (int pass = 0; pass < 2; ++pass) {
      for (int group = 0; group < chip_map::nowhere; ++group) {
        int size = 0, at = 0;
        for (int i = 0; i < processors; ++i) size += map.group[i] == group;
        const int in_runs = size / in_run * in_run;
        for (int i = 0; i < processors; ++i) {
          if (map.group[i] == group && (at++ < in_runs) == (pass == 0))
            seat_[i] = static_cast<unsigned short>(next++ / blocks);
        }
      }
    }
  }

  HEDDLE_FN static decltype(sizeof 0) state_bytes() { return sizeof(state); }

  HEDDLE_FN explicit operator bool() const { return state_ != nullptr; }

  /// The same seats for another launch at the same time.
  HEDDLE_HOST seats with_state(void* device_state) const {
    seats copy = *this;
    copy.state_ = detail::require_state<state>("heddle::seats: state", device_state);
    return copy;
  }

  /// The worker's number. It never waits for another worker.
  template <class Machine>
  HEDDLE_FN unsigned claim(Machine machine) const {
    state_->launch.enter(machine);
    const unsigned workers = machine.workers(), wanted = seat_[machine.sm() % chip_map::most];
    const unsigned seat = take_from(machine, wanted < workers ? wanted : workers - 1, workers);
    machine.fence();
    if (machine.add(&state_->arrived, 1u) + 1 == workers) {  // and all seats are taken
      for (unsigned word = 0; word <= (workers - 1) / 64; ++word)
        machine.store(&state_->taken[word], detail::word64{0});
      state_->launch.clear(machine);
      machine.store(&state_->arrived, 0u);
    }
    return seat;
  }

  struct storage {
    unsigned number;
  };

#if defined(__CUDACC__)
  /// Gives all threads of the block (of the cluster) its number: two barriers.
  ///
  /// **Preconditions**: every thread of every block calls it, once per launch and state. It may be called again with
  /// the same storage.
  template <bool Clusters = false>
  HEDDLE_DEVICE detail::schedule::seated<Clusters> take(storage& shared) const {
    const detail::gpu<Clusters> machine;
    if (!*this || machine.workers() > most_workers) return detail::schedule::seated<Clusters>(machine.worker());
    detail::check(gridDim.y == 1 && gridDim.z == 1, "heddle::seats: a grid of more than one dimension");
    detail::check_storage(shared, "heddle::seats: the storage is not in shared memory");
    // Threads have read what the memory held before, and all blocks of a cluster have started.
    detail::schedule::meet<Clusters>();
    if (detail::schedule::is_first_thread<Clusters>()) {
      // Who has no seat of its own leaves the others time to take theirs.
      if (seat_[machine.sm() % chip_map::most] >= machine.workers()) {
        for (int i = 0; i < 64; ++i) machine.pause();
      }
      detail::schedule::tell<Clusters>(shared.number, claim(machine));
    }
    __syncwarp();
    detail::schedule::meet<Clusters>();
    return detail::schedule::seated<Clusters>(shared.number);
  }
#endif

 private:
  static constexpr unsigned short nobodys = 0xffff;

  /// That seat, or one that is free: there is one for everyone who has none.
  template <class Machine>
  HEDDLE_FN unsigned take_from(Machine machine, unsigned seat, unsigned workers) const {
    while (true) {
      const unsigned word = seat / 64, bit = seat % 64;
      detail::word64 taken = machine.bit_or(&state_->taken[word], detail::word64{1} << bit);
      if ((taken >> bit & 1) == 0) return seat;
      while (taken >> seat % 64 & 1) {
        seat = seat + 1 == workers ? 0 : seat + 1;
        if (seat % 64 == 0) taken = machine.load(&state_->taken[seat / 64]);
      }
    }
  }

  state* state_ = nullptr;
  unsigned short seat_[chip_map::most]{};  // of a multiprocessor
};

}  // namespace heddle::inline HEDDLE_ABI

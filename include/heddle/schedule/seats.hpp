#pragma once

#include <heddle/detail/device_state.hpp>
#include <heddle/launch/chip_map.hpp>
#include <heddle/schedule/detail/canceling_gpu.hpp>
#include <heddle/schedule/detail/tile_walks.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail::schedule {

#if defined(__CUDACC__)
/// The GPU, with another number for the worker than the hardware's.
template <bool Clusters>
struct seated : canceling_gpu<Clusters> {
  unsigned number;

  HEDDLE_DEVICE explicit seated(unsigned seat) : number(seat) {}
  HEDDLE_DEVICE unsigned worker() const { return number; }
};
#endif

}  // namespace detail::schedule

/// Numbers the workers of a launch so that neighbours in number are neighbours on the chip.
///
/// The hardware deals blocks out round the GPCs. With seats, and an order of neighbours that share data, the
/// multiprocessors of one GPC load mostly the same lines from L2.
///
///   GPC                          0   0   0   1   1   1
///   number from the hardware     0   2   4   1   3   5
///   seat, in runs of 3           0   1   2   3   4   5
///
/// A worker (a block, or a cluster) takes the seat of its multiprocessor, or a free one if that is taken. Each number
/// below the count of workers is given once, wherever the workers run. A scheduler uses the seats if it is given what
/// `take` returns as its last argument.
///
/// **Preconditions**: the state is `state_bytes()` bytes on the device, zeroed once by the caller. One launch at a time
/// uses it. Every worker takes a seat, once per launch. Without a state (`seats{}`) workers keep their numbers, as they
/// do in a launch of more than `most_workers`.
///
/// **Effects**: the state is ready for the next launch when the launch ends.
///
/// **Cost**: 520 bytes of kernel arguments, 4 bytes of shared memory, two barriers of the block (of the cluster), and
/// two atomic operations and a fence per worker: about a microsecond per launch (H200).
///
/// **Example** (tests/gpu/seats.cu):
///
///     __shared__ heddle::static_shared<seats::storage> seat;
///     for (const auto [row, col] : scheduler.tiles(smem, all.take(seat))) {
class seats {
 public:
  static constexpr unsigned most_workers = 8192;  // more than are resident on any GPU: a larger launch has no seats

 private:
  struct state {
    detail::word64 taken[most_workers / 64];
    detail::counter launch;  // in builds with checks, the number of the launch
    unsigned arrived;
  };

 public:
  /// Builds seats without a state: workers keep their numbers.
  seats() = default;

  /// Builds seats for workers of `blocks_in_worker` blocks, one block per multiprocessor. Each run of `run` seats comes
  /// from one group of the map; seats that fill no run come last. If the order has bands, `run` is their width.
  HEDDLE_HOST seats(const chip_map& map, long long blocks_in_worker, long long run, void* device_state)
      : seats(map, blocks_in_worker, run) {
    state_ = detail::require_state<state>("heddle::seats: state", device_state);
  }

  /// Builds the same seats without a state yet: `with_state` gives them one.
  HEDDLE_HOST seats(const chip_map& map, long long blocks_in_worker, long long run) {
    constexpr int most = chip_map::most;
    const int processors = detail::require_at_least(1, "heddle::seats: multiprocessors", map.multiprocessors);
    detail::require_at_least(1, "heddle::seats: blocks_in_worker", blocks_in_worker);
    detail::require_at_least(1, "heddle::seats: run", run);
    detail::require_at_most(most, "heddle::seats: multiprocessors", processors);
    const int blocks = detail::require_at_most(most, "heddle::seats: blocks_in_worker", blocks_in_worker);
    const int in_run = blocks * detail::require_at_most(most, "heddle::seats: run", run);
    for (unsigned short& seat : seat_) seat = nobodys;
    // The first pass numbers the groups' whole runs, the second the rest.
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

  /// Returns the bytes of a state.
  HEDDLE_FN static decltype(sizeof 0) state_bytes() { return sizeof(state); }

  /// Returns whether there is a state, and so other numbers than the hardware's.
  HEDDLE_FN explicit operator bool() const { return state_ != nullptr; }

  /// Returns the same seats with another state, for another launch at the same time.
  HEDDLE_HOST seats with_state(void* device_state) const {
    seats copy = *this;
    copy.state_ = detail::require_state<state>("heddle::seats: state", device_state);
    return copy;
  }

  /// Takes a seat for the worker that `machine` is, and returns its number. It never waits for another worker. Without
  /// a state, or in a launch of more than `most_workers`, it returns the worker's own number.
  ///
  /// **Preconditions**: one thread of every worker calls it, once per launch and state.
  template <class Machine>
  HEDDLE_FN unsigned claim(Machine machine) const {
    const unsigned workers = machine.workers(), wanted = seat_[machine.sm() % chip_map::most];
    if (!*this || workers > most_workers) return machine.worker();
    state_->launch.enter(machine);
    const unsigned seat = take_from(machine, wanted < workers ? wanted : workers - 1, workers);
    machine.fence();
    const unsigned before = machine.add(&state_->arrived, 1u);
    detail::check(before < workers, no_seat);
    if (before + 1 == workers) {  // the last: all seats are taken
      for (unsigned word = 0; word <= (workers - 1) / 64; ++word)
        machine.store(&state_->taken[word], detail::word64{0});
      state_->launch.clear(machine);
      machine.store(&state_->arrived, 0u);
    }
    return seat;
  }

  /// Shared memory in which `take` tells the block its number.
  struct storage {
    unsigned number;  // of the worker
  };

#if defined(__CUDACC__)
  /// Takes a seat for the block (for the cluster with `Clusters`), and returns a machine with its number for a
  /// scheduler.
  ///
  /// **Preconditions**: every thread of every block calls it, once per launch and state. It may be called again with
  /// the same storage.
  ///
  /// **Cost**: two barriers of the block (of the cluster).
  template <bool Clusters = false>
  HEDDLE_DEVICE detail::schedule::seated<Clusters> take(storage& shared) const {
    const detail::gpu<Clusters> machine;
    if (!*this || machine.workers() > most_workers) return detail::schedule::seated<Clusters>(machine.worker());
    detail::check(gridDim.y == 1 && gridDim.z == 1, "heddle::seats: a grid of more than one dimension");
    detail::check_storage(shared, "heddle::seats: the storage is not in shared memory");
    // After this barrier no thread still reads what the storage held before, and all blocks of a cluster have started.
    detail::schedule::meet<Clusters>();
    if (detail::schedule::is_first_thread<Clusters>()) {
      // A worker without a seat of its own lets the others take theirs first.
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

  static constexpr const char* no_seat = "heddle::seats: the state is not zeroed, or a worker takes two seats";

  /// Takes that seat, or the next free one. As many seats as workers exist, so one is free.
  template <class Machine>
  HEDDLE_FN unsigned take_from(Machine machine, unsigned seat, unsigned workers) const {
    unsigned passed = 0;  // seats, which stay taken
    while (true) {
      const unsigned word = seat / 64, bit = seat % 64;
      detail::word64 taken = machine.bit_or(&state_->taken[word], detail::word64{1} << bit);
      if ((taken >> bit & 1) == 0) return seat;
      while (taken >> seat % 64 & 1) {
        detail::check(++passed < workers, no_seat);
        seat = seat + 1 == workers ? 0 : seat + 1;
        if (seat % 64 == 0) taken = machine.load(&state_->taken[seat / 64]);
      }
    }
  }

  state* state_ = nullptr;
  unsigned short seat_[chip_map::most]{};  // per multiprocessor: the seat that a worker there takes first
};

}}  // namespace heddle::HEDDLE_ABI

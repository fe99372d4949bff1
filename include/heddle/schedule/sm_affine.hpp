#pragma once

#include <heddle/detail/device_state.hpp>
#include <heddle/schedule/detail/scheduler_base.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Lets the blocks of a multiprocessor draw tiles from one run of `run` tiles, so that they share what is in L1.
///
/// The order is cut into runs. A multiprocessor takes a run, and its blocks draw the tiles of the run one after
/// another. A multiprocessor that has used up its run takes the next one that is free: faster ones take more runs.
///
///   tiles             0 1 2 | 3 4 5 | 6 7 8 | 9          run 3, two multiprocessors of two blocks each
///   multiprocessor    0 0 0   1 1 1   1 1 1   0
///   block             a b a   c d c   d c d   b
///
/// The number of the multiprocessor is a hint: tiles are visited once even if the hardware gives any number, or several
/// multiprocessors the same. Over a `cluster_order` each cluster draws once, by the multiprocessor of its first block.
///
/// **Offers** `tiles(smem)`, the block's tiles as a range for all threads of the block together; `start(smem,
/// followers)`, `lead(smem)` and `follow(smem)`, the same tiles for roles that each go at their own pace; `grid(kernel,
/// threads, dynamic_smem, cap)`, the launch; and `order()`.
///
/// **Preconditions**: the grid has one dimension, of any number of blocks. The state is `state_bytes()` bytes on the
/// device, zeroed once by the caller, and not of another kind of scheduler. One launch at a time uses it. Every block
/// reaches `tiles` or `lead`, once per launch, and may leave its loop early.
///
/// **Effects**: each tile is visited once per launch. The state is ready for the next launch when the launch ends.
///
/// **Cost**: 48 bytes of shared memory. One atomic addition per tile on the multiprocessor's counter; the block waits
/// for its answer; one more per run on a counter that all share; one barrier of the block per tile in the loop.
///
/// **Example** (examples/convolution/after.cu):
///
///     const heddle::dilated order{{rows, cols}, {step / tile_rows, step / tile_cols}, /*width*/ 2};
///     const heddle::sm_affine scheduler{order, state, /*run*/ 64};
///     return heddle::launch({.threads = {tile_cols, tile_rows}}, denoise, scheduler, in, out);
template <tile_order Order = row_major>
class sm_affine : public detail::schedule::drawn_by_one<sm_affine<Order>, Order> {
  static constexpr unsigned slots = 256;  // more than any GPU has multiprocessors, and a power of two

  struct counters {
    detail::counter runs;        // runs taken so far
    detail::word64 slot[slots];  // per multiprocessor: 1 + its run in the upper half, draws from it in the lower

    template <class Machine>
    HEDDLE_FN void clear(Machine machine) {
      runs.clear(machine);
      for (detail::word64& word : slot) machine.store(&word, detail::word64{0});
    }
  };
  using state = detail::alternating<counters>;

 public:
  /// Builds the scheduler from its order, its state on the device, and the length of a run in tiles, at least 1.
  HEDDLE_HOST sm_affine(Order order, void* device_state, long long run)
      : detail::schedule::drawn_by_one<sm_affine<Order>, Order>(order),
        state_(detail::require_state<state>("heddle::sm_affine: state", device_state)),
        run_(static_cast<unsigned>(detail::require_int_at_least(1, "heddle::sm_affine: run", run))) {}

  /// Returns the bytes of a state, which do not depend on the order.
  HEDDLE_FN static decltype(sizeof 0) state_bytes() { return sizeof(state); }

  /// Returns the length of a run, in tiles.
  HEDDLE_FN int run() const { return static_cast<int>(run_); }

  static constexpr bool persistent = true;  // a block takes several tiles, so `grid` launches what is resident

  /// Decides for one worker, in a kernel and under `laws::check_schedule` alike. It does not draw ahead: the worker
  /// that finds the end of a run must take the next run at once, since other workers wait for it.
  template <class Machine>
  class draws {
   public:
    /// Decides for the worker that `machine` is.
    template <class Storage>
    HEDDLE_FN draws(const sm_affine& scheduler, Machine machine, Storage&)
        : machine_(machine),
          state_(scheduler.state_),
          size_(static_cast<unsigned>(scheduler.order().size())),
          run_(scheduler.run_) {}

    /// Enters the launch, and draws the first index.
    HEDDLE_FN unsigned first() {
      counters_ = state_->enter(machine_).counters;
      counters_->runs.enter(machine_);
      slot_ = &counters_->slot[machine_.sm() % slots];
      return next(0);
    }

    /// Does nothing: no tile is drawn ahead.
    HEDDLE_FN void ask() const {}

    /// Draws the next index, from the run of the multiprocessor or from the next free run.
    HEDDLE_FN unsigned next(unsigned) {
      while (true) {
        const detail::word64 word = machine_.add(slot_, detail::word64{1});
        const auto [begin, length] = tiles_of(word);
        const auto drawn = static_cast<unsigned>(word);
        if (drawn < length) return begin + drawn;
        if (begin == detail::schedule::no_tile) return begin;
        if (drawn == length) return take_run();                             // exactly one worker draws this number
        while (machine_.load(slot_) >> 32 == word >> 32) machine_.pause();  // until that one is done
      }
    }

   private:
    struct stretch {
      unsigned begin, length;
    };

    HEDDLE_FN stretch tiles_of(detail::word64 word) const {
      const auto taken = static_cast<unsigned>(word >> 32);
      if (taken == 0) return {0, 0};  // no run yet
      const detail::word64 begin = (taken - detail::word64{1}) * run_;
      if (begin >= size_) return {detail::schedule::no_tile, 0};
      const auto left = static_cast<unsigned>(size_ - begin);
      return {static_cast<unsigned>(begin), left < run_ ? left : run_};
    }

    /// Takes the next free run: keeps its first tile, and leaves the others for the multiprocessor to draw.
    HEDDLE_FN unsigned take_run() {
      const unsigned taken = detail::counter::drawn(counters_->runs.draw(machine_), machine_);
      const detail::word64 word = (detail::word64{taken} + 1) << 32;
      machine_.exchange(slot_, word | 1);
      return tiles_of(word).begin;
    }

    Machine machine_;
    state* state_;
    unsigned size_, run_;
    counters* counters_ = nullptr;
    detail::word64* slot_ = nullptr;
  };

 private:
  state* state_;
  unsigned run_;
};

template <class Order>
sm_affine(Order, void*, long long) -> sm_affine<detail::as_tile_order<Order>>;

static_assert(tile_scheduler<sm_affine<row_major>>);

}}  // namespace heddle::HEDDLE_ABI

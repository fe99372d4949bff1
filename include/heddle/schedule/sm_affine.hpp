#pragma once

#include <heddle/detail/device_state.hpp>
#include <heddle/schedule/detail/scheduler_base.hpp>

namespace heddle::inline HEDDLE_ABI {

/// Persistent, dynamic, and near: the order is cut into runs of `run` tiles; a multiprocessor takes a run,
/// and its blocks draw the tiles of it one after another, so that blocks resident together work on
/// consecutive tiles and find in L1 what their neighbours read. No run belongs to anyone before it is taken:
/// who is done first takes more of them.
///
///   tiles             0 1 2 | 3 4 5 | 6 7 8 | 9          run 3, two multiprocessors of two blocks each
///   multiprocessor    0 0 0   1 1 1   1 1 1   0
///   block             a b a   c d c   d c d   b
///
/// The number of the multiprocessor is a hint: any number does, several of them may share a run, and tiles are
/// visited once all the same.
///
/// The state is the caller's: `sm_affine<>::state_bytes()` bytes on the device, zeroed once. It serves one
/// launch after another, and no two at once. Every block must reach `tiles` (or `lead`), and may leave at will.
///
/// **Offers** `tiles(smem)`, a range for all threads of the block together; `start(smem, followers)`, `lead(smem)` and
/// `follow(smem)` for roles that walk it at their own pace; `grid(kernel, threads, dynamic_smem, cap)`, the launch; and
/// `order()`.
template <tile_order Order = row_major>
class sm_affine : public detail::schedule::drawn_by_one<sm_affine<Order>, Order> {
  static constexpr unsigned slots = 256;  // more than any GPU has multiprocessors, and a power of two

  struct counters {
    detail::counter runs;        // how many runs have been taken
    detail::word64 slot[slots];  // of each multiprocessor: above, 1 + its run; below, how often it was drawn from

    template <class Machine>
    HEDDLE_FN void clear(Machine machine) {
      runs.clear(machine);
      for (detail::word64& word : slot) machine.store(&word, detail::word64{0});
    }
  };
  using state = detail::alternating<counters>;

 public:
  HEDDLE_HOST sm_affine(Order order, void* device_state, int run)
      : detail::schedule::drawn_by_one<sm_affine<Order>, Order>(order),
        state_(detail::require_state<state>("heddle::sm_affine: state", device_state)),
        run_(static_cast<unsigned>(detail::require_at_least(1, "heddle::sm_affine: run", run))) {}

  HEDDLE_FN static decltype(sizeof 0) state_bytes() { return sizeof(state); }

  HEDDLE_FN int run() const { return static_cast<int>(run_); }

  static constexpr bool persistent = true;

  /// Nothing is asked ahead: who finds the run at its end must take the next at once, since others wait for it.
  template <class Machine>
  class draws {
   public:
    template <class Storage>
    HEDDLE_FN draws(const sm_affine& scheduler, Machine machine, Storage&)
        : machine_(machine),
          state_(scheduler.state_),
          size_(static_cast<unsigned>(scheduler.order().size())),
          run_(scheduler.run_) {}

    HEDDLE_FN unsigned first() {
      counters_ = state_->enter(machine_).counters;
      counters_->runs.enter(machine_);
      slot_ = &counters_->slot[machine_.sm() % slots];
      return next(0);
    }

    HEDDLE_FN void ask() const {}

    HEDDLE_FN unsigned next(unsigned) {
      while (true) {
        const detail::word64 word = machine_.add(slot_, detail::word64{1});
        const auto [begin, length] = tiles_of(word);
        const auto drawn = static_cast<unsigned>(word);
        if (drawn < length) return begin + drawn;
        if (begin == detail::schedule::no_tile) return begin;
        if (drawn == length) return take_run();                             // one worker, exactly, finds it so
        while (machine_.load(slot_) >> 32 == word >> 32) machine_.pause();  // for the one that does
      }
    }

   private:
    struct stretch {
      unsigned begin, length;
    };

    HEDDLE_FN stretch tiles_of(detail::word64 word) const {
      const auto taken = static_cast<unsigned>(word >> 32);
      if (taken == 0) return {0, 0};  // none yet
      const detail::word64 begin = (taken - detail::word64{1}) * run_;
      if (begin >= size_) return {detail::schedule::no_tile, 0};
      const auto left = static_cast<unsigned>(size_ - begin);
      return {static_cast<unsigned>(begin), left < run_ ? left : run_};
    }

    /// Keeps the first tile of it, and puts the others where the multiprocessor draws.
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
sm_affine(Order, void*, int) -> sm_affine<detail::as_tile_order<Order>>;

static_assert(tile_scheduler<sm_affine<row_major>>);

}  // namespace heddle::inline HEDDLE_ABI

#pragma once

#include <heddle/laws/interleaving.hpp>
#include <heddle/laws/verdict.hpp>
#include <heddle/one_at_a_time.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace laws {

/// Plans launches for the checkers: `count` launches one after another on the same state.
///
/// The multiprocessors keep their numbers from launch to launch, so that a later launch finds state that an earlier one
/// left behind per multiprocessor.
///
/// **Preconditions**: all members but the seed are at least 1; `workers` and `multiprocessors` are at most 2^16,
/// `resident` at most 1024.
/// **Cost**: each resident worker is a thread.
/// **Example** (examples/02_schedule/own_scheduler.cpp):
///
///     const heddle::laws::launches plan{.workers = workers, .resident = 1 + tiles % workers, .count = 2};
struct launches {
  int workers = 4, resident = 4, count = 3, multiprocessors = 2;  // workers: blocks or clusters, per launch
  unsigned seed = 0;                                              // chooses the interleaving

  static constexpr int most_workers = 1 << 16, most_resident = 1024;  // limits: a resident worker is a thread

  /// Refuses a member outside its limits.
  void check() const {
    const auto require = [](const char* name, int value, int most) {
      heddle::detail::require_at_least(1, name, value);
      heddle::detail::require_at_most(most, name, value);
    };
    require("heddle::laws::launches: workers", workers, most_workers);
    require("heddle::laws::launches: resident", resident, most_resident);
    require("heddle::laws::launches: count", count, 0x7fffffff);
    require("heddle::laws::launches: multiprocessors", multiprocessors, most_workers);
  }
};

namespace detail {

/// The machine on which a worker of a checked launch decides: each memory access is one step of the interleaving.
/// In a CUDA file its members are for device code too, as `draws` is: what only the host has is called by a pointer.
class simulated_machine : public one_at_a_time {
 public:
  simulated_machine(interleaving& memory, int worker, int workers, unsigned sm, int launch)
      : one_at_a_time{sm, static_cast<unsigned>(workers), static_cast<unsigned>(worker)},
        memory_(&memory),
        launch_(static_cast<unsigned>(launch)) {}

  HEDDLE_FN unsigned launch() const { return launch_; }

  template <class Word>
  HEDDLE_FN Word add(Word* word, Word value) const {
    step_(*memory_);
    return one_at_a_time::add(word, value);
  }
  template <class Word>
  HEDDLE_FN Word exchange(Word* word, Word value) const {
    step_(*memory_);
    return one_at_a_time::exchange(word, value);
  }
  template <class Word>
  HEDDLE_FN Word bit_or(Word* word, Word value) const {
    step_(*memory_);
    return one_at_a_time::bit_or(word, value);
  }
  template <class Word>
  HEDDLE_FN Word load(const Word* word) const {
    step_(*memory_);
    return *word;
  }
  template <class Word>
  HEDDLE_FN void store(Word* word, Word value) const {
    step_(*memory_);
    *word = value;
  }

  HEDDLE_FN void ask_to_cancel(auto& shared) const {
    step_(*memory_);
    shared.answer[0] = static_cast<unsigned>(take_over_(*memory_) + 1);
  }
  HEDDLE_FN void wait_for_answer(auto&, unsigned) const { step_(*memory_); }

 private:
  interleaving* memory_;
  void (*step_)(interleaving&) = [](interleaving& memory) { memory.step(); };
  int (*take_over_)(interleaving&) = [](interleaving& memory) { return memory.take_over(); };
  unsigned launch_;
};

static_assert(drawing_machine<simulated_machine>);

}  // namespace detail

/// Checks the law of schedulers: the workers of a launch visit each index exactly once, in any order of memory accesses
/// and of starts. It runs the scheduler's own `draws`.
///
/// In every other launch some workers leave early. Each index is then visited at most once, and the next launch must
/// visit all of them again.
///
/// **Preconditions**: a scheduler with a state was built on host memory, `state_bytes()` zeroes. Link with threads.
/// **Effects**: throws `invalid_argument` for a plan outside its limits. A launch that does not end is a failure.
/// **Cost**: a thread per worker, at most `plan.resident` at the same time.
/// **Example** (examples/02_schedule/own_scheduler.cpp):
///
///     const to_and_fro scheduler{row_major{{1, tiles}}};
///     const heddle::laws::launches plan{.workers = workers, .resident = 1 + tiles % workers, .count = 2};
///     if (const auto verdict = heddle::laws::check_schedule(scheduler, plan); !verdict) {
template <class Scheduler>
verdict check_schedule(const Scheduler& scheduler, launches plan) {
  plan.check();
  const int size = scheduler.order().size();
  if (size < 0) return failed("order().size() is ", size);
  std::mt19937 random(plan.seed);
  std::vector<unsigned> sm;
  for (int number = 0; number < plan.multiprocessors; ++number) sm.push_back(static_cast<unsigned>(random()));
  for (int launch = 0; launch < plan.count; ++launch) {
    const bool whole = launch % 2 == 0;
    std::vector<int> visits(static_cast<unsigned>(size));
    std::vector<unsigned> patience;
    for (int worker = 0; worker < plan.workers; ++worker) patience.push_back(static_cast<unsigned>(random() % 4));

    interleaving memory(static_cast<unsigned>(random()), plan.resident);
    const auto work = [&](int worker) {
      const auto number = static_cast<unsigned>(worker);
      const detail::simulated_machine machine(memory, worker, plan.workers, sm[number % sm.size()], launch);
      using draws = typename Scheduler::template draws<detail::simulated_machine>;
      typename Scheduler::storage shared{};
      draws next(scheduler, machine, shared);
      // In a whole launch a worker stops after `size` + 1 indices: one of them occurred twice, and the check fails.
      // Without a stop a worker that never ends would give no verdict.
      const unsigned most = whole ? static_cast<unsigned>(size) : patience[number];
      unsigned visited = 0;
      for (unsigned index = next.first(); index < static_cast<unsigned>(size); index = next.next(index)) {
        ++visits[index];
        if constexpr (requires { next.ask(); }) next.ask();
        if (++visited > most) break;
      }
      if constexpr (requires { next.leave(); }) next.leave();
    };
    const auto launch_failed = [&](auto... parts) {
      return failed("launch ", launch, " of ", plan.workers, " workers (", plan.resident, " resident, seed ", plan.seed,
                    "): ", parts...);
    };
    const long long limit = 100'000 + 1'000LL * size + 1'000LL * plan.workers;
    if (!memory.run(plan.workers, limit, work)) return launch_failed("it does not end");
    for (int index = 0; index < size; ++index) {
      const int count = visits[static_cast<unsigned>(index)];
      if (count > 1) return launch_failed("index ", index, " is visited ", count, " times");
      if (whole && count == 0) return launch_failed("index ", index, " is never visited");
    }
  }
  return {};
}

}}}  // namespace heddle::HEDDLE_ABI::laws

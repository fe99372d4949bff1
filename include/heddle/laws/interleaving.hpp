#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

#include <heddle/invalid_argument.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace laws {

/// Runs workers one at a time, from one memory access to the next, in an order that a seed decides. The same seed
/// repeats the same run.
///
/// At most `resident` workers have started and not finished. Some workers are slow, and each run chooses others.
///
/// **Cost**: a thread per worker that has started; one of them runs at a time.
/// **Example** (tools/foreign/heddle/foreign/simt.hpp):
///
///     heddle::laws::interleaving memory(static_cast<unsigned>(random()), static_cast<int>(of.resident));
///     …
///     const bool all_end = memory.run(static_cast<int>(of.blocks.size()), of.limit, [&](int number) {
class interleaving {
 public:
  /// Refuses `resident` below 1.
  interleaving(unsigned seed, int resident)
      : random_(seed),
        resident_(static_cast<std::size_t>(
            heddle::detail::require_at_least(1, "heddle::laws::interleaving: resident", resident))) {}
  /// Deleted: workers refer to it.
  interleaving(const interleaving&) = delete;

  /// Calls `body(worker)` for each worker that no other takes over. Returns false if some have not finished after
  /// `limit` accesses. An exception of a worker ends the run, and leaves it.
  template <class Body>
  bool run(int workers, long long limit, Body body) {
    waiting_.clear();
    for (int worker = 0; worker < workers; ++worker) waiting_.push_back(worker);
    std::shuffle(waiting_.begin(), waiting_.end(), random_);
    body_ = std::ref(body);
    limit_ = limit;
    stop_ = false;
#if defined(__linux__)
    processor_ = sched_getcpu();
#endif

    hand_over(next());
    over_.acquire();
    const bool all_done = waiting_.empty() && started_.empty();
    stop_ = true;
    for (const auto& each : started_) {
      each->go.release();
      each->thread.join();
    }
    started_.clear();
    if (!finished_.empty()) finished_.back()->thread.join();
    finished_.clear();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return all_done;
  }

  /// Lets other workers go first. A worker calls it before each memory access.
  void step() {
    actor* const self = running_;
    if (actor* const other = next(); other != self) {
      hand_over(other);
      self->go.acquire();
    }
    if (stop_) throw stopped{};
  }

  /// Takes over a worker that has not started, and returns it, or -1 if all have. The worker will not start. Now and
  /// then it returns -1 although some have not started, as sm_100 may.
  int take_over() {
    if (waiting_.empty() || random_() % 16 == 0) return -1;
    const int worker = waiting_.back();
    waiting_.pop_back();
    return worker;
  }

 private:
  struct stopped {};

  struct actor {
    std::binary_semaphore go{0};
    std::thread thread;
    unsigned pace = 1;
  };

  /// Chooses the worker that runs next, which may be the one that runs now. Returns null after the last worker and at
  /// the limit.
  actor* next() {
    while (!waiting_.empty() && started_.size() < resident_ && (started_.empty() || random_() % 4 == 0)) start();
    if (started_.empty() || limit_ == 0) return nullptr;
    --limit_;
    return choose();
  }

  void hand_over(actor* to) {
    running_ = to;
    (to != nullptr ? to->go : over_).release();
  }

  void start() {
    const int worker = waiting_.back();
    waiting_.pop_back();
    auto& self = *started_.emplace_back(std::make_unique<actor>());
    self.pace = random_() % 4 == 0 ? 1 : 16;
    self.thread = std::thread([this, &self, worker] {
      stay();
      self.go.acquire();
      try {
        if (!stop_) body_(worker);
      } catch (const stopped&) {
      } catch (...) {
        failure_ = std::current_exception();
        limit_ = 0;
      }
      if (!stop_) finish(self);
    });
  }

  // A thread that wakes another one on its own processor takes a fourth of the time.
  void stay() const {
#if defined(__linux__)
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(processor_), &one);
    sched_setaffinity(0, sizeof one, &one);
#endif
  }

  void finish(const actor& self) {
    if (!finished_.empty()) finished_.back()->thread.join();  // a thread cannot join itself: the next to finish does
    const auto at =
        std::find_if(started_.begin(), started_.end(), [&](const auto& each) { return each.get() == &self; });
    finished_.push_back(std::move(*at));
    started_.erase(at);
    hand_over(next());
  }

  actor* choose() {
    unsigned sum = 0;
    for (const auto& each : started_) sum += each->pace;
    auto ahead = static_cast<unsigned>(random_() % sum);
    std::size_t chosen = 0;
    while (ahead >= started_[chosen]->pace) ahead -= started_[chosen++]->pace;
    return started_[chosen].get();
  }

  std::mt19937 random_;
  std::size_t resident_;
  std::vector<int> waiting_;
  std::vector<std::unique_ptr<actor>> started_, finished_;
  actor* running_ = nullptr;
  std::function<void(int)> body_;
  long long limit_ = 0;
  int processor_ = 0;
  std::exception_ptr failure_;
  std::binary_semaphore over_{0};
  bool stop_ = false;
};

}}}  // namespace heddle::HEDDLE_ABI::laws

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <semaphore>
#include <thread>
#include <vector>

namespace heddle::inline v0::laws {

/// Workers that run one at a time, from one access of shared memory to the next, in an order that a seed
/// decides: an adversary of whom every run can be repeated.
///
/// No more than `resident` of them have started and not finished. Some are slow, each run others.
class interleaving {
 public:
  interleaving(unsigned seed, int resident) : random_(seed), resident_(static_cast<std::size_t>(resident)) {}
  interleaving(const interleaving&) = delete;

  /// Calls `body(worker)` for each worker that nobody takes over; false if they are not done after `limit` accesses.
  template <class Body>
  bool run(int workers, long long limit, Body body) {
    waiting_.clear();
    for (int worker = 0; worker < workers; ++worker) waiting_.push_back(worker);
    std::shuffle(waiting_.begin(), waiting_.end(), random_);
    started_.clear();
    stop_ = false;

    while (!waiting_.empty() || !started_.empty()) {
      if (!waiting_.empty() && started_.size() < resident_ && (started_.empty() || random_() % 4 == 0)) {
        start(body);
        continue;
      }
      const std::size_t chosen = choose();
      resume(chosen);
      if (started_[chosen]->finished) forget(chosen);
      if (--limit == 0) {
        stop_ = true;
        for (; !started_.empty(); forget(0)) resume(0);
        return false;
      }
    }
    return true;
  }

  /// Before each access: others may go first.
  void step() {
    actor* const self = running_;
    self->paused.release();
    self->go.acquire();
    if (stop_) throw stopped{};
  }

  /// A worker that has not started, and now never will; -1 if there is none.
  int take_over() {
    if (waiting_.empty()) return -1;
    const int worker = waiting_.back();
    waiting_.pop_back();
    return worker;
  }

 private:
  struct stopped {};

  struct actor {
    std::binary_semaphore go{0}, paused{0};
    std::thread thread;
    unsigned pace = 1;
    bool finished = false;
  };

  template <class Body>
  void start(Body& body) {
    const int worker = waiting_.back();
    waiting_.pop_back();
    auto& self = *started_.emplace_back(std::make_unique<actor>());
    self.pace = random_() % 4 == 0 ? 1 : 16;
    self.thread = std::thread([this, &self, &body, worker] {
      self.go.acquire();
      try {
        if (!stop_) body(worker);
      } catch (const stopped&) {
      }
      self.finished = true;
      self.paused.release();
    });
  }

  std::size_t choose() {
    unsigned sum = 0;
    for (const auto& each : started_) sum += each->pace;
    auto ahead = static_cast<unsigned>(random_() % sum);
    std::size_t chosen = 0;
    while (ahead >= started_[chosen]->pace) ahead -= started_[chosen++]->pace;
    return chosen;
  }

  void resume(std::size_t chosen) {
    running_ = started_[chosen].get();
    running_->go.release();
    running_->paused.acquire();
  }

  void forget(std::size_t chosen) {
    started_[chosen]->thread.join();
    started_.erase(started_.begin() + static_cast<std::ptrdiff_t>(chosen));
  }

  std::mt19937 random_;
  std::size_t resident_;
  std::vector<int> waiting_;
  std::vector<std::unique_ptr<actor>> started_;
  actor* running_ = nullptr;
  bool stop_ = false;
};

}  // namespace heddle::inline v0::laws

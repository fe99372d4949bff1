#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <heddle/choose/detail/guarded_key.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Carries out what `guarded_key` decides, for calls of any threads in any streams. `Events` records and reads events:
///
///   stream, event, error                         types; error{} is success
///   std::optional<int> device()                  of this call; nothing if an error of the caller is pending
///   bool can_time(stream)                        false under capture
///   bool make(event&), void destroy(event)
///   bool record(event, stream)
///   std::pair<state, double> elapsed(begin, end) waiting, done with seconds, or lost
///
/// A lock is held while decisions are made and events are recorded, not during a launch.
template <class Events>
class guarded_calls {
 public:
  using stream = typename Events::stream;
  using error = typename Events::error;

  guarded_calls(int candidates, Events events)
      : events_(std::move(events)), is_dropped_(static_cast<std::size_t>(candidates)) {}
  guarded_calls(const guarded_calls&) = delete;
  guarded_calls& operator=(const guarded_calls&) = delete;
  ~guarded_calls() {
    for (auto& [device, of] : pools_) {
      for (timing& each : of.timings) events_.destroy(each.begin), events_.destroy(each.end);
    }
  }

  /// Launches one candidate. `recall(key)` returns what is remembered of a new key. `compare(which)` is called after
  /// the first launch of a candidate for the key, with the error that it returns.
  template <class Launch, class Recall, class Compare>
  error call(stream on, std::uint64_t key, const Launch& launch, const Recall& recall, const Compare& compare) {
    const std::optional<int> device = events_.device();
    if (!device) return launch(0);  // what is wrong already stays what it was without a guard
    call_in_flight call(*this, on, key, *device, recall);
    error result = launch(call.which());
    if (result == error{} && call.is_first()) result = compare(call.which());
    call.end(result == error{});
    return result;
  }

  /// Returns the candidate that is decided on, or nothing while it is not.
  std::optional<int> decision(std::uint64_t key) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = keys_.find(key);
    return at != keys_.end() && at->second.is_settled() ? std::optional(at->second.running()) : std::nullopt;
  }

  /// Calls `visit(key, decisions)` for each key that is decided.
  template <class Visit>
  void visit(const Visit& visit) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [key, decisions] : keys_) {
      if (decisions.is_settled()) visit(key, decisions);
    }
  }

 private:
  static constexpr std::size_t most_timings = 16;  // in flight, per device

  struct timing {
    typename Events::event begin{}, end{};
    guarded_key* key = nullptr;  // null: free
    stream on{};
    int which = 0, calls = 0;
    std::uint64_t number = 0;  // of its use: that of a run that was cut is another's by now
  };
  struct pool {
    std::array<timing, most_timings> timings;
    std::array<std::size_t, most_timings> waiting;  // those that have ended, in order
    std::size_t waiting_count = 0;
    bool is_usable = false;
    unsigned calls = 0;  // since events were looked at
  };

  /// A call from its decision to its end. After an exception of the launch its time is lost.
  class call_in_flight {
   public:
    template <class Recall>
    call_in_flight(guarded_calls& of, stream on, std::uint64_t key, int device, const Recall& recall)
        : of_(of), on_(on) {
      const std::lock_guard<std::mutex> lock(of_.mutex_);
      const bool can_time = of_.events_.can_time(on);
      auto at = of_.keys_.find(key);
      if (at == of_.keys_.end()) at = of_.add(key, recall);
      key_ = &at->second;
      turn_.which = key_->untimed();
      if (!can_time) return;  // nothing is made or read under capture either
      pool& events = of_.pool_of(device);
      of_.collect(events, *key_);
      const bool is_consecutive = of_.last_key_ == key_ && of_.last_stream_ == on && of_.last_device_ == device;
      if (!is_consecutive) of_.cut();
      of_.last_key_ = key_, of_.last_stream_ = on, of_.last_device_ = device;
      timing* const next = of_.open_ != nullptr ? of_.open_ : of_.free_timing(events);
      if (next == nullptr) return;
      turn_ = key_->next(is_consecutive);
      if (!turn_.begins && of_.open_ == nullptr) return;
      timing_ = next, pool_ = &events;
      if (turn_.begins) {
        is_first_ = key_->seconds(turn_.which) == 0;
        *next = {next->begin, next->end, key_, on, turn_.which, turn_.calls, ++of_.uses_};
        of_.open_ = turn_.ends ? nullptr : next;
        if (!of_.events_.record(next->begin, on)) of_.lose(*next);
      }
      number_ = next->number;
      if (turn_.ends) of_.open_ = nullptr;
    }
    call_in_flight(const call_in_flight&) = delete;
    call_in_flight& operator=(const call_in_flight&) = delete;
    ~call_in_flight() {
      if (is_ended_) return;
      const std::lock_guard<std::mutex> lock(of_.mutex_);
      if (is_timed()) of_.lose(*timing_);
    }

    int which() const { return turn_.which; }
    bool is_first() const { return is_first_ && turn_.which != 0; }

    void end(bool is_right) {
      is_ended_ = true;
      if (timing_ == nullptr && is_right) return;
      const std::lock_guard<std::mutex> lock(of_.mutex_);
      if (is_timed() && (!is_right || (turn_.ends && !of_.events_.record(timing_->end, on_)))) {
        of_.lose(*timing_);
      } else if (is_timed() && turn_.ends) {
        pool_->waiting[pool_->waiting_count++] = static_cast<std::size_t>(timing_ - pool_->timings.data());
      }
      if (!is_right && turn_.which != 0) of_.drop(turn_.which);
    }

   private:
    bool is_timed() const { return timing_ != nullptr && timing_->key != nullptr && timing_->number == number_; }

    guarded_calls& of_;
    stream on_;
    guarded_key* key_ = nullptr;
    guarded_key::turn turn_;
    timing* timing_ = nullptr;
    pool* pool_ = nullptr;
    std::uint64_t number_ = 0;
    bool is_first_ = false, is_ended_ = false;
  };

  template <class Recall>
  auto add(std::uint64_t key, const Recall& recall) {
    const auto at = keys_.try_emplace(key, static_cast<int>(is_dropped_.size())).first;
    if (const auto [which, seconds] = recall(key); which >= 0) at->second.recall(which, seconds);
    for (std::size_t i = 0; i < is_dropped_.size(); ++i) {
      if (is_dropped_[i]) at->second.drop(static_cast<int>(i));
    }
    return at;
  }
  pool& pool_of(int device) {
    const auto [at, is_new] = pools_.try_emplace(device);
    pool& made = at->second;
    if (is_new) {
      made.is_usable = true;
      for (timing& each : made.timings) {
        made.is_usable = made.is_usable && events_.make(each.begin) && events_.make(each.end);
      }
    }
    return made;
  }
  timing* free_timing(pool& events) {
    if (!events.is_usable) return nullptr;
    for (timing& each : events.timings) {
      if (each.key == nullptr) return &each;
    }
    return nullptr;
  }

  /// Reads the events that have passed. A decided key can wait for a few calls.
  void collect(pool& events, const guarded_key& key) {
    if (events.waiting_count == 0 || (key.is_settled() && ++events.calls % 4 != 0)) return;
    std::size_t kept = 0;
    std::array<stream, 4> busy;  // whose first event has not passed: neither have later ones
    std::size_t busy_count = 0;
    for (std::size_t i = 0; i < events.waiting_count; ++i) {
      timing& one = events.timings[events.waiting[i]];
      bool is_busy = busy_count == busy.size() && i > 0;
      for (std::size_t j = 0; j < busy_count; ++j) is_busy = is_busy || busy[j] == one.on;
      const auto [is, seconds] = is_busy ? std::pair(Events::state::waiting, 0.0) : events_.elapsed(one.begin, one.end);
      if (is == Events::state::waiting) {
        if (!is_busy) busy[busy_count++] = one.on;
        events.waiting[kept++] = events.waiting[i];
        continue;
      }
      guarded_key* const of = std::exchange(one.key, nullptr);
      if (is == Events::state::done) {
        of->told(one.which, one.calls, seconds);
      } else {
        of->lost(one.which, one.calls);
        events.is_usable = false;  // the device is gone, or has failed
      }
    }
    events.waiting_count = kept;
  }

  /// Ends the run that is open, if there is one: another call has come.
  void cut() {
    if (open_ == nullptr) return;
    open_->key->cut();
    release();
  }
  void release() { std::exchange(open_, nullptr)->key = nullptr; }
  void lose(timing& one) {
    if (open_ == &one) {
      cut();
    } else {
      std::exchange(one.key, nullptr)->lost(one.which, one.calls);
    }
  }
  void drop(int which) {
    cut();
    is_dropped_[static_cast<std::size_t>(which)] = true;
    for (auto& [key, decisions] : keys_) decisions.drop(which);
  }

  mutable std::mutex mutex_;
  Events events_;
  std::vector<bool> is_dropped_;  // for every key
  std::unordered_map<std::uint64_t, guarded_key> keys_;
  std::map<int, pool> pools_;  // by device
  guarded_key* last_key_ = nullptr;
  stream last_stream_{};
  int last_device_ = 0;
  timing* open_ = nullptr;  // a run of calls that goes on
  std::uint64_t uses_ = 0;
};

}}}  // namespace heddle::HEDDLE_ABI::detail

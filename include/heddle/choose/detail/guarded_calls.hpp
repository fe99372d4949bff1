#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <heddle/choose/detail/event_pool.hpp>
#include <heddle/choose/detail/guarded_key.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Carries out what `guarded_key` decides, for calls of any threads in any streams. `Events` records and reads events:
///
///   stream, event, error                         types; error{} is success
///   bool has_error()                             one of the caller is pending; all but destroy and record come after
///   std::optional<int> device()                  of this call
///   bool can_time(stream)                        false under capture
///   bool make(event&), void destroy(event)
///   bool record(event, stream)
///   state look(event)                            waiting, done, or lost
///   std::optional<double> seconds(begin, end)    of events that have passed
///   while_others_capture                         lives while events are looked at
///
/// A lock is held while decisions are made and events are recorded, not during a launch. Three of four calls of a
/// decided key ask for neither the device nor a capture: they launch what a call under capture launches.
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
    for (auto& [device, of] : pools_) of.destroy(events_);
  }

  /// Launches one candidate. `recall(key)` returns what is remembered of a new key. `compare(which)` is called after
  /// the first launch of a candidate for the key, with the error that it returns.
  template <class Launch, class Recall, class Compare>
  error call(stream on, std::uint64_t key, const Launch& launch, const Recall& recall, const Compare& compare) {
    if (events_.has_error()) return launch(0);  // what is wrong already stays what it was without a guard
    call_in_flight call(*this, on, key, recall);
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
  using pool = event_pool<Events>;
  using timing = typename pool::timing;

  /// A call from its decision to its end. After an exception of the launch its time is lost.
  class call_in_flight {
   public:
    template <class Recall>
    call_in_flight(guarded_calls& of, stream on, std::uint64_t key, const Recall& recall) : of_(of), on_(on) {
      const std::lock_guard<std::mutex> lock(of_.mutex_);
      guarded_key& decisions = of_.decisions(key, recall);
      turn_.which = decisions.untimed();
      if (decisions.is_quiet()) {
        turn_ = decisions.next();
        return;
      }
      const std::optional<int> device = of_.events_.device();
      if (!device || !of_.events_.can_time(on)) return;  // under capture nothing is made or read either
      pool& events = of_.pools_.try_emplace(*device, of_.events_).first->second;
      if (decisions.is_settled()) {
        events.collect(of_.events_, 1);
      } else {
        events.collect_in_turn(of_.events_);
      }
      timing* const next = events.free();
      if (next == nullptr) {
        decisions.rest();
        return;
      }
      turn_ = decisions.next();
      if (!turn_.is_timed) return;
      is_first_ = decisions.seconds(turn_.which) == 0;
      *next = {next->begin, next->end, &decisions, on, turn_.which};
      timing_ = next, pool_ = &events;
      if (!of_.events_.record(next->begin, on)) lose();
    }
    call_in_flight(const call_in_flight&) = delete;
    call_in_flight& operator=(const call_in_flight&) = delete;
    ~call_in_flight() {
      if (is_ended_ || timing_ == nullptr) return;
      const std::lock_guard<std::mutex> lock(of_.mutex_);
      lose();
    }

    int which() const { return turn_.which; }
    bool is_first() const { return is_first_ && turn_.which != 0; }

    void end(bool is_right) {
      is_ended_ = true;
      if (timing_ == nullptr && is_right) return;
      const std::lock_guard<std::mutex> lock(of_.mutex_);
      if (timing_ != nullptr && is_right && of_.events_.record(timing_->end, on_)) {
        pool_->wait_for(*timing_);
      } else if (timing_ != nullptr) {
        lose();
      }
      if (!is_right && turn_.which != 0) of_.drop(turn_.which);
    }

   private:
    void lose() {
      std::exchange(timing_->key, nullptr)->lost(timing_->which);
      timing_ = nullptr;
    }

    guarded_calls& of_;
    stream on_;
    guarded_key::turn turn_;
    timing* timing_ = nullptr;
    pool* pool_ = nullptr;
    bool is_first_ = false, is_ended_ = false;
  };

  /// Returns the decisions for a key. A new one begins with what is remembered of it.
  template <class Recall>
  guarded_key& decisions(std::uint64_t key, const Recall& recall) {
    const auto [at, is_new] = keys_.try_emplace(key, static_cast<int>(is_dropped_.size()));
    if (!is_new) return at->second;
    if (const auto [which, seconds] = recall(key); which >= 0) at->second.recall(which, seconds);
    for (std::size_t i = 0; i < is_dropped_.size(); ++i) {
      if (is_dropped_[i]) at->second.drop(static_cast<int>(i));
    }
    return at->second;
  }

  void drop(int which) {
    is_dropped_[static_cast<std::size_t>(which)] = true;
    for (auto& [key, decisions] : keys_) decisions.drop(which);
  }

  mutable std::mutex mutex_;
  Events events_;
  std::vector<bool> is_dropped_;  // for every key
  std::unordered_map<std::uint64_t, guarded_key> keys_;
  std::map<int, pool> pools_;  // by device
};

}}}  // namespace heddle::HEDDLE_ABI::detail

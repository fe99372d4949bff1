#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include <heddle/choose/detail/guarded_key.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// The timings of `guarded_calls` on one device: pairs of events around a call.
template <class Events>
class event_pool {
 public:
  struct timing {
    typename Events::event begin{}, end{};
    guarded_key* key = nullptr;  // null: free
    typename Events::stream on{};
    int which = 0;
  };

  explicit event_pool(const Events& events) {
    for (timing& each : timings_) is_usable_ = is_usable_ && events.make(each.begin) && events.make(each.end);
  }
  void destroy(const Events& events) {
    for (timing& each : timings_) events.destroy(each.begin), events.destroy(each.end);
  }

  /// Returns a timing that is free, or null.
  timing* free() {
    for (timing& each : timings_) {
      if (is_usable_ && each.key == nullptr) return &each;
    }
    return nullptr;
  }

  /// Takes notice that the end of a timing is recorded.
  void wait_for(const timing& ended) {
    waiting_[waiting_count_++] = static_cast<std::size_t>(&ended - timings_.data());
  }

  /// Reads timings that have passed, the oldest first, and leaves off when a few are left. One look is enough for
  /// `at_once` timings in a row of one stream: they pass in order.
  void collect(const Events& events, std::size_t at_once) {
    if (waiting_count_ == 0) return;
    const typename Events::while_others_capture allowed;
    std::size_t kept = 0, read = 0;
    std::array<typename Events::stream, 4> busy;  // whose first event has not passed: neither have later ones
    std::size_t busy_count = 0;
    for (std::size_t i = 0, end; i < waiting_count_; i = end) {
      const auto on = at(i).on;
      for (end = i + 1; end < waiting_count_ && end - i < at_once && at(end).on == on;) ++end;
      const bool is_left = (read > 0 && waiting_count_ - read <= few) || busy_count == busy.size() ||
                           std::find(busy.begin(), busy.begin() + busy_count, on) != busy.begin() + busy_count;
      const auto found = is_left ? Events::state::waiting : events.look(at(end - 1).end);
      if (found != Events::state::waiting) {
        for (read += end - i; i < end; ++i) take(events, at(i), found == Events::state::done);
        continue;
      }
      if (!is_left) busy[busy_count++] = on;
      while (i < end) waiting_[kept++] = waiting_[i++];
    }
    waiting_count_ = kept;
  }
  /// The same at one call of eight where each adds a timing: a look costs more than recording an event.
  void collect_in_turn(const Events& events) {
    if (waiting_count_ > 2 * few && waiting_count_ % few == 0) collect(events, 2 * few);
  }

 private:
  static constexpr std::size_t few = 4;

  timing& at(std::size_t i) { return timings_[waiting_[i]]; }
  void take(const Events& events, timing& one, bool is_done) {
    guarded_key* const of = std::exchange(one.key, nullptr);
    const std::optional<double> seconds = is_done ? events.seconds(one.begin, one.end) : std::nullopt;
    seconds ? of->told(one.which, *seconds) : of->lost(one.which);
    is_usable_ = is_usable_ && is_done;  // else the device is gone, or has failed
  }

  std::array<timing, 16> timings_;
  std::array<std::size_t, 16> waiting_;  // those that have ended, in order
  std::size_t waiting_count_ = 0;
  bool is_usable_ = true;
};

}}}  // namespace heddle::HEDDLE_ABI::detail

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <heddle/choose/detail/guarded_key.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// The timings of `guarded_calls` on one device: pairs of events around a call, or around a run of calls.
template <class Events>
class event_pool {
 public:
  struct timing {
    typename Events::event begin{}, end{};
    guarded_key* key = nullptr;  // null: free
    typename Events::stream on{};
    int which = 0, calls = 0;
    std::uint64_t number = 0;  // of its use: that of a run that was cut is another's by now
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

  /// Reads the oldest timing that has passed, and others while more than a few wait: one look is enough in most calls.
  void collect(const Events& events) {
    constexpr std::size_t few = 4;
    std::size_t kept = 0, read = 0;
    std::array<typename Events::stream, 4> busy;  // whose first event has not passed: neither have later ones
    std::size_t busy_count = 0;
    for (std::size_t i = 0; i < waiting_count_; ++i) {
      timing& one = timings_[waiting_[i]];
      bool is_left = (read > 0 && waiting_count_ - read <= few) || busy_count == busy.size();
      for (std::size_t j = 0; j < busy_count; ++j) is_left = is_left || busy[j] == one.on;
      const auto [is, seconds] = is_left ? std::pair(Events::state::waiting, 0.0) : events.elapsed(one.begin, one.end);
      if (is == Events::state::waiting) {
        if (!is_left) busy[busy_count++] = one.on;
        waiting_[kept++] = waiting_[i];
        continue;
      }
      ++read;
      guarded_key* const of = std::exchange(one.key, nullptr);
      if (is == Events::state::done) {
        of->told(one.which, one.calls, seconds);
      } else {
        of->lost(one.which, one.calls);
        is_usable_ = false;  // the device is gone, or has failed
      }
    }
    waiting_count_ = kept;
  }

 private:
  std::array<timing, 16> timings_;
  std::array<std::size_t, 16> waiting_;  // those that have ended, in order
  std::size_t waiting_count_ = 0;
  bool is_usable_ = true;
};

}}}  // namespace heddle::HEDDLE_ABI::detail

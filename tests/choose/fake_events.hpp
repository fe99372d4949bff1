#pragma once

#include <atomic>
#include <optional>
#include <utility>

namespace heddle_test {

/// A card whose launches take the time that they say, and whose events pass so many launches later. Any number of
/// threads may use it.
struct fake_card {
  std::atomic<long long> nanoseconds{0};  // of all launches and events until now
  std::atomic<long long> of_event{0};
  std::atomic<int> launches{0}, in_flight{0}, made{0}, destroyed{0}, recorded{0}, looked_at{0}, asked{0}, device{0};
  std::atomic<bool> has_error{false}, is_captured{false}, is_gone{false}, can_record{true};

  int launch(long long takes, int error = 0) {
    nanoseconds += takes, ++launches;
    return error;
  }
};

/// Events of a fake card, for `guarded_calls`.
struct fake_events {
  using stream = int;
  using error = int;
  struct event {
    long long at = 0;
    int launch = 0;
  };
  enum class state { waiting, done, lost };
  fake_card* card;

  bool has_error() const { return card->has_error; }
  std::optional<int> device() const { return card->device; }
  bool can_time(stream) const { return ++card->asked, !card->is_captured; }
  bool make(event&) const { return ++card->made, !card->is_gone; }
  void destroy(event&) const { ++card->destroyed; }
  bool record(event& made, stream) const {
    ++card->recorded, card->nanoseconds += card->of_event;
    made = {card->nanoseconds, card->launches};
    return card->can_record;
  }
  state look(const event& at) const {
    ++card->looked_at;
    if (card->is_gone) return state::lost;
    return card->launches < at.launch + card->in_flight ? state::waiting : state::done;
  }
  std::optional<double> seconds(const event& begin, const event& end) const {
    return 1e-9 * static_cast<double>(end.at - begin.at);
  }
  struct while_others_capture {
    while_others_capture() {}
  };
};

}  // namespace heddle_test

#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <numeric>
#include <type_traits>
#include <vector>

#include <heddle/choose/choice.hpp>
#include <heddle/choose/detail/race.hpp>
#include <heddle/invalid_argument.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// The seconds that a burst of launches took, or the error of one of them.
template <class Error>
struct timed_burst {
  double seconds = 0;  // of all launches together
  Error error{};       // of the first launch that failed, or of the clock
};

/// A clock for `choose`: it calls a launch a number of times, says how long that took, and rests.
///
/// **Example** (tests/choose/simulated.hpp):
///
///     template <class Launch>
///     heddle::timed_burst<int> burst(int launches_in_burst, const Launch& launch) {
///     …
///     void rest(double seconds_of_rest) {
template <class Clock, class Error>
concept burst_clock = requires(Clock& clock, Error (*launch)(), double seconds) {
  { clock.burst(1, launch) } -> std::same_as<timed_burst<Error>>;
  clock.rest(seconds);
};

namespace detail {

/// What a launch of a value returns.
template <class Launch, class Value>
using error_of = std::invoke_result_t<const Launch&, const Value&>;

}  // namespace detail

/// Chooses the fastest of the candidates by timing the few that are predicted best, with a clock of your own.
/// `choose(candidates, launch, stream)` has the clock of a CUDA stream.
///
/// The candidate that is predicted best is the default. All take turns, a burst each, in rounds that run forwards and
/// backwards. A candidate leaves when it is slower beyond doubt, and the choice is made when it is clear. Of candidates
/// whose times differ by no more than the noise, the choice is the one that is predicted best. So no answer is slower
/// than the default was beside it.
///
/// **Preconditions**: there is a candidate; each prediction is finite and at least 0; options are in their ranges.
/// Others are refused.
///
/// **Effects**: calls `launch(value)` until the choice is clear. A candidate whose launch returns an error (a value
/// that is not `Error{}`), or for which the clock gives a time that is not finite, is left out, and the next one takes
/// its place.
///
/// **Cost**: at most 128 rounds after the last candidate was left out. The options' budget is looked at after every
/// second round.
///
/// **Example** (tests/choose/law.cpp):
///
///     const auto launch = [&](const int& which) { return card.run(which); };
///     const auto found = heddle::choose(candidates, launch, card, options);
template <class Value, class Launch, burst_clock<detail::error_of<Launch, Value>> Clock>
choice<Value, detail::error_of<Launch, Value>> choose(const std::vector<candidate<Value>>& candidates,
                                                      const Launch& launch, Clock&& clock,
                                                      const choose_options& options = {}) {
  using Error = detail::error_of<Launch, Value>;
  options.check();
  detail::require_at_least(1, "heddle::choose: candidates", static_cast<long long>(candidates.size()));
  for (const auto& each : candidates) {
    if (!(each.seconds >= 0) || std::isinf(each.seconds)) {
      detail::refuse("heddle::choose: the prediction of a candidate", " is not finite and at least 0");
    }
  }
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
    return candidates[one].seconds < candidates[other].seconds;
  });
  const auto& first = candidates[order[0]];
  choice<Value, Error> found{
      .value = first.value, .index = order[0], .seconds = first.seconds, .timed = {}, .failed = {}};
  if (order.size() == 1 || options.most == 1) return found;

  struct entrant {
    std::size_t index;
    int launches;  // in a burst
  };
  const auto burst_of = [&](const entrant& one) {
    return clock.burst(one.launches, [&] { return launch(candidates[one.index].value); });
  };
  const auto fail = [&](std::size_t index, Error error) { found.failed.push_back({index, 0, {}, error}); };

  const auto has_failed = [](const timed_burst<Error>& one) {
    return one.error != Error{} || !std::isfinite(one.seconds);  // of a clock whose times are none
  };

  // One launch of each loads its code. Bursts before the rounds then say how many launches make a burst. Each has at
  // most ten times as many as the last: a clock that is too coarse for a few launches reads 0 whatever they take.
  std::vector<entrant> entrants;
  std::size_t next = 0;  // in the order of predictions
  const auto admit = [&] {
    while (entrants.size() < static_cast<std::size_t>(options.most) && next < order.size()) {
      constexpr double most_launches = 1000;
      entrant one{order[next++], 1};
      timed_burst<Error> timed = burst_of(one);
      for (bool is_short = true; is_short && !has_failed(timed);) {
        timed = burst_of(one);
        const double most = (std::min)(10.0 * one.launches, most_launches);
        const double passed = (std::max)(1e-12, timed.seconds);  // a clock may stand still, or be set back
        const double fits = one.launches * (options.burst / passed);
        is_short = fits > most && most < most_launches;
        one.launches = static_cast<int>(std::clamp<double>(fits, one.launches, most));
      }
      if (has_failed(timed)) {
        fail(one.index, timed.error);
      } else {
        entrants.push_back(one);
      }
    }
  };
  admit();

  detail::race race(entrants.size(), options.tie);
  double spent = 0;
  // Times a round. Returns which entrant failed, or the number of entrants.
  const auto run_round = [&](bool is_forward) {
    for (std::size_t turn = 0; turn < entrants.size(); ++turn) {
      const std::size_t at = is_forward ? turn : entrants.size() - 1 - turn;
      if (!race.runs(at)) continue;
      const timed_burst<Error> timed = burst_of(entrants[at]);
      if (has_failed(timed)) {
        fail(entrants[at].index, timed.error);
        return at;
      }
      race.add(at, timed.seconds / entrants[at].launches);
      const double passed = (std::max)(0.0, timed.seconds);  // a clock may be set back
      clock.rest(options.rest * passed);
      spent += (1 + options.rest) * passed;
    }
    return entrants.size();
  };
  for (int round = 0; round < detail::race::most_rounds && !entrants.empty(); ++round) {
    if (const std::size_t failed = run_round(round % 2 == 0); failed < entrants.size()) {
      entrants.erase(entrants.begin() + static_cast<std::ptrdiff_t>(failed));
      admit();
      race = detail::race(entrants.size(), options.tie);  // the others begin again
      round = -1;
    } else if (round % 2 == 1) {
      if (round + 1 >= detail::race::least_rounds && race.settle()) break;
      if (spent >= options.budget) break;
    }
  }

  if (entrants.empty()) {
    const auto best = std::find_if(found.failed.begin(), found.failed.end(),
                                   [&](const auto& each) { return each.index == order[0]; });
    found.error = best->error;
    return found;
  }
  const std::size_t chosen = race.chosen();
  found.index = entrants[chosen].index;
  found.value = candidates[found.index].value;
  found.seconds = race.seconds(chosen);
  found.noise = race.noise_of(chosen);
  for (std::size_t i = 0; i < race.size(); ++i) {
    found.timed.push_back({entrants[i].index, race.seconds(i), race.times(i), Error{}});
  }
  return found;
}

}}  // namespace heddle::HEDDLE_ABI

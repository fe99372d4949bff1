#pragma once

#include <cstddef>
#include <vector>

#include <heddle/candidate.hpp>
#include <heddle/invalid_argument.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// How `choose` times candidates.
///
/// **Example** (examples/08_choose/threads.cu):
///
///     const auto found = heddle::choose(candidates, launch, stream, {.most = 5});
struct choose_options {
  int most = 4;          // candidates that are timed, of those that are predicted best; with 1, nothing is timed
  double rest = 0;       // idle time after each burst, as a multiple of the burst: at least 0
  double burst = 0.002;  // seconds of launches in a burst; a longer launch is a burst alone
  double tie = 0.005;    // times that differ by less than this share are equal: 0 to 1
  double budget = 2;     // seconds of bursts and rests, after which `choose` decides by what it has

  /// Refuses values that cannot be right with an `invalid_argument`, which names the value and the limit.
  constexpr void check() const {
    detail::require_at_least(1, "heddle::choose_options: most", most);
    require_in("heddle::choose_options: rest is not from 0 to 1000", rest, 1000);
    require_in("heddle::choose_options: burst is not from 0 to 1000 seconds", burst, 1000);
    require_in("heddle::choose_options: tie is not from 0 to 1", tie, 1);
    require_in("heddle::choose_options: budget is not from 0 to 1000000 seconds", budget, 1e6);
  }

 private:
  static constexpr void require_in(const char* complaint, double value, double limit) {
    if (!(value >= 0 && value <= limit)) detail::refuse("", complaint);
  }
};

/// The times of one candidate, or the error of its launch.
template <class Error>
struct candidate_times {
  std::size_t index = 0;       // its place among the candidates
  double seconds = 0;          // of one launch, by comparison with the default in the same rounds
  std::vector<double> bursts;  // seconds of one launch, in the mean of each burst
  Error error{};               // of the launch; a candidate with an error is not chosen
};

/// What `choose` found: a candidate, its time, and the times of all that it was compared with.
///
/// **Example** (examples/08_choose/threads.cu):
///
///     for (const auto& each : found.timed) {
///       std::printf("%4d threads: %.1f us, %zu bursts\n", candidates[each.index].value, 1e6 * each.seconds,
///                   each.bursts.size());
///     }
template <class Value, class Error>
struct [[nodiscard]] choice {
  Value value;                                 // the chosen one; after an error, the one that is predicted best
  std::size_t index = 0;                       // its place among the candidates
  double seconds = 0;                          // of one launch, measured; the prediction if nothing was timed
  double noise = 0;                            // the least share by which times had to differ
  bool remembered = false;                     // a `wisdom` knew the answer: nothing was timed
  std::vector<candidate_times<Error>> timed;   // in order of prediction, the default first; empty if none could be
  std::vector<candidate_times<Error>> failed;  // candidates whose launch returned an error, or took no finite time
  Error error{};                               // of the launch that is predicted best, if all failed
};

}}  // namespace heddle::HEDDLE_ABI

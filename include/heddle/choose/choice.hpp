#pragma once

#include <cstddef>
#include <vector>

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

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

#pragma once

#include <string>
#include <vector>

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// The times of one candidate in a `wisdom_entry`.
struct remembered_times {
  std::string name;            // of the candidate
  double seconds = 0;          // of one launch, as `choose` found it
  std::vector<double> bursts;  // seconds of one launch, in the mean of each burst

  bool operator==(const remembered_times&) const = default;
};

/// An answer that a `wisdom` keeps: the chosen candidate, and the times behind the choice.
///
/// **Example** (tests/choose/wisdom.cpp):
///
///     const wisdom_entry entry{"128x256 bands 8", 1e-4, 0.005, {times}};
struct wisdom_entry {
  std::string chosen;                   // the name of the chosen candidate
  double seconds = 0;                   // of one launch of it
  double noise = 0;                     // the least share by which times had to differ
  std::vector<remembered_times> timed;  // in order of prediction: the first is the default

  bool operator==(const wisdom_entry&) const = default;
};

}}  // namespace heddle::HEDDLE_ABI

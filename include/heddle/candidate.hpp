#pragma once

#include <string>

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// One of the values that `choose` chooses from, with the time that it is predicted to take.
///
/// **Example** (examples/08_choose/threads.cu):
///
///     std::vector<heddle::candidate<int>> candidates;
///     for (const int threads : {256, 128, 512, 64, 1024}) candidates.push_back({threads, 0, std::to_string(threads)});
template <class Value>
struct candidate {
  Value value;            // what a launch takes
  double seconds = 0;     // of one launch, as predicted; with equal predictions the earlier one is predicted best
  std::string name = "";  // what a `wisdom` remembers it by; `choose` alone needs none
};

}}  // namespace heddle::HEDDLE_ABI

#pragma once

#include <limits>

#include <heddle/predict/advise.hpp>

namespace heddle_test {

/// Returns what a launch moves as `advise` finds it, by stretches of so many cells.
template <class Problem>
heddle::detail::moved_bytes moved_by(const heddle::recipe& by, const Problem& problem,
                                     const heddle::predict::device& chip, int blocks,
                                     long long cells = std::numeric_limits<long long>::max() / 8) {
  return heddle::detail::question_of(problem, chip, blocks).move(by, cells, [](long long) { return true; });
}

}  // namespace heddle_test

#pragma once

#include <heddle/concepts.hpp>
#include <heddle/predict/advice_rules.hpp>
#include <heddle/predict/device.hpp>

// What was measured of a problem: its `rules(blocks_per_multiprocessor)`, or those of a card, `rules(device,
// blocks_per_multiprocessor)`, which come first.

namespace heddle::inline HEDDLE_ABI::detail {

template <class Problem>
concept has_rules_of_card = requires(const Problem& problem, const predict::device& device,
                                     int blocks_per_multiprocessor) {
  { problem.rules(device, blocks_per_multiprocessor) } -> gives<predict::advice_rules>;
};

template <class Problem>
concept has_rules_of_any_card = requires(const Problem& problem, int blocks_per_multiprocessor) {
  { problem.rules(blocks_per_multiprocessor) } -> gives<predict::advice_rules>;
};

template <class Problem>
predict::advice_rules rules_of(const Problem& problem, const predict::device&, int blocks_per_multiprocessor) {
  return problem.rules(blocks_per_multiprocessor);
}
template <has_rules_of_card Problem>
predict::advice_rules rules_of(const Problem& problem, const predict::device& device, int blocks_per_multiprocessor) {
  return problem.rules(device, blocks_per_multiprocessor);
}

}  // namespace heddle::inline HEDDLE_ABI::detail

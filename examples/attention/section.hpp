#pragma once

#include <algorithm>

#include <heddle/device/current_device.hpp>
#include <heddle/predict/advise.hpp>
#include <heddle/predict/causal_problem.hpp>

#include "problem.hpp"

namespace attention {

/// Returns how many heads of queries run together on a card: of a causal pass as many as `advise` says, of others those
/// that share keys. Either was within 1 % of the best section on an H100, but for the longest causal passes (3 %).
inline long long section_of(const problem& p, bool is_packed, const heddle::predict::device& card) {
  const long long sharers = p.heads / p.key_heads;
  if (!is_packed && p.right == 0 && p.left == unlimited) {
    const auto heads = static_cast<int>(p.heads * p.sequences);
    const heddle::predict::causal_problem pass{.queries = static_cast<int>(p.queries),
                                               .keys = static_cast<int>(p.keys),
                                               .heads = heads,
                                               .key_heads = heads / static_cast<int>(sharers),
                                               .width = static_cast<int>(p.width)};
    return (std::max)(sharers, static_cast<long long>(advise(pass, card).width));
  }
  return sharers;
}

}  // namespace attention

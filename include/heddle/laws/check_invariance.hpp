#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/laws/verdict.hpp>
#include <heddle/one_at_a_time.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace laws {

/// One part of the sum that a tile is: steps [begin, end) along k, added up by one block.
struct summed_part {
  long long tile;  // any number that tells tiles apart
  int begin, end;  // steps
};

/// Returns how a launch of `workers` adds up each tile: its parts, in the order in which they are added.
///
/// A scheduler that does not split tiles has one part per tile, [0, 1). `name(tile)` gives a tile its number; it leaves
/// out a tile by a negative one.
///
/// **Preconditions**: a scheduler with a state was built on host memory, `state_bytes()` zeroes.
/// **Example** (tests/laws/invariance.cpp):
///
///     launches.push_back(laws::sums_of(stream_k{order, 40, 4, state.data()}, workers, first_of_batch));
template <class Scheduler, class Name>
std::vector<summed_part> sums_of(const Scheduler& scheduler, int workers, Name name) {
  const auto& order = scheduler.order();
  std::vector<std::tuple<long long, int, summed_part>> parts;  // by tile and slot
  for (int worker = 0; worker < workers; ++worker) {
    const one_at_a_time machine{0, static_cast<unsigned>(workers), static_cast<unsigned>(worker)};
    if constexpr (splits_tiles<Scheduler>) {
      const typename Scheduler::template draws<one_at_a_time> its(scheduler, machine);
      for (unsigned number = its.first(); number < its.size(); number = its.next(number)) {
        const auto part = its.at(number);
        const long long tile = name(part.tile);
        parts.push_back({tile, part.share.slot, {tile, part.begin, part.end}});
      }
    } else {
      typename Scheduler::storage shared{};
      typename Scheduler::template draws<one_at_a_time> its(scheduler, machine, shared);
      const auto size = static_cast<unsigned>(order.size());
      for (unsigned index = its.first(); index < size; index = its.next(index)) {
        if constexpr (requires { its.ask(); }) its.ask();
        const long long tile = name(order(static_cast<int>(index)));
        parts.push_back({tile, 0, {tile, 0, 1}});
      }
      if constexpr (requires { its.leave(); }) its.leave();
    }
  }
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return std::pair(get<0>(a), get<1>(a)) < std::pair(get<0>(b), get<1>(b));
  });
  std::vector<summed_part> found;
  for (const auto& [tile, slot, part] : parts) {
    if (tile >= 0) found.push_back(part);
  }
  return found;
}

/// Checks the law of invariance: the tree of sums of a tile is the same in all launches. It depends neither on the
/// number of workers, nor on the batch, nor on what else the launch computes, and so do the tile's bits not.
///
/// A launch is the list of its parts; the parts of a tile are in the order in which they are added. A tile need not be
/// in every launch.
///
/// **Example** (tests/laws/invariance.cpp):
///
///     CHECK(laws::check_invariance(launches).failure ==
///           "tile 0 is the sum of 0-20 20-40 in launch 0, and of 0-40 in launch 1");
inline verdict check_invariance(const std::vector<std::vector<summed_part>>& launches) {
  std::map<long long, std::pair<std::string, std::size_t>> known;  // the tree of a tile, and the first launch with it
  for (std::size_t launch = 0; launch < launches.size(); ++launch) {
    std::map<long long, std::string> trees;
    for (const auto& [tile, begin, end] : launches[launch]) trees[tile] += failed(" ", begin, "-", end).failure;
    for (const auto& [tile, tree] : trees) {
      const auto& [before, first] = known.try_emplace(tile, tree, launch).first->second;
      if (tree != before) {
        return failed("tile ", tile, " is the sum of", before, " in launch ", first, ", and of", tree, " in launch ",
                      launch);
      }
    }
  }
  return {};
}

}}}  // namespace heddle::HEDDLE_ABI::laws

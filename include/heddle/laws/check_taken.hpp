#pragma once

#include <concepts>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <heddle/laws/verdict.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace laws {

/// One entry of a log: a tile, by its number, and the block that took it.
struct taken_tile {
  long long tile;  // counted from 0
  int block;       // any number that tells blocks apart
};

/// Holds what the blocks of a launch took: a verdict, and which tiles are wrong or wasted.
///
/// Numbers outside the problem, below 0 or not below the number of tiles, are padding. They cost time and are no error.
///
/// **Example** (tests/laws/taken.cpp):
///
///     const laws::taken_report report = laws::check_taken(log, rows * cols);
///     CHECK(report.failure == "tile 5 is done 2 times, by block 0, 2\ntile 3 is missed\n2 faults");
///     CHECK(report.wasted() == 3);
struct taken_report : verdict {
  long long tiles = 0;                             // how many the problem has
  std::vector<long long> missed;                   // tiles that no block took
  std::map<long long, std::vector<int>> repeated;  // tiles that were taken more than once, and their blocks
  std::map<long long, std::vector<int>> outside;   // numbers that are no tiles of the problem, and their blocks

  /// Returns how often a block took what is outside the problem.
  long long wasted() const {
    std::size_t count = 0;
    for (const auto& [number, blocks] : outside) count += blocks.size();
    return static_cast<long long>(count);
  }

  /// Returns the failure or "each tile once", and what is wasted.
  std::string text() const {
    const std::string all = failure.empty() ? "each tile once" : failure;
    if (outside.empty()) return all;
    return failed(all, failure.empty() ? "; " : "\n", wasted(), " taken outside the ", tiles, " tiles").failure;
  }
};

/// Checks what the blocks of a launch took, by its log: each tile of the problem once.
///
/// **Effects**: `failure` has a line for each of the first eight faults, and how many there are.
/// **Cost**: a pointer per tile, and an entry per fault.
/// **Example** (tests/laws/taken.cpp):
///
///     const laws::taken_report report = laws::check_taken(log, rows * cols);
inline taken_report check_taken(const std::vector<taken_tile>& log, long long tiles) {
  heddle::detail::require_int_at_least(0, "heddle::laws::check_taken: tiles", tiles);
  taken_report found;
  found.tiles = tiles;
  std::vector<const taken_tile*> first(static_cast<std::size_t>(tiles));  // the entry that has a tile first
  for (const taken_tile& entry : log) {
    if (entry.tile < 0 || entry.tile >= tiles) {
      found.outside[entry.tile].push_back(entry.block);
    } else if (const taken_tile*& before = first[static_cast<std::size_t>(entry.tile)]; before == nullptr) {
      before = &entry;
    } else {
      std::vector<int>& blocks = found.repeated[entry.tile];
      if (blocks.empty()) blocks.push_back(before->block);
      blocks.push_back(entry.block);
    }
  }
  for (long long tile = 0; tile < tiles; ++tile) {
    if (first[static_cast<std::size_t>(tile)] == nullptr) found.missed.push_back(tile);
  }

  std::size_t lines = 0;
  const auto add = [&](const auto&... words) {
    if (lines++ < 8) found.failure += failed(words..., "\n").failure;
  };
  for (const auto& [tile, blocks] : found.repeated) {
    std::string by;
    for (const int block : blocks) by += (by.empty() ? " by block " : ", ") + std::to_string(block);
    add("tile ", tile, " is done ", blocks.size(), " times,", by);
  }
  for (const long long tile : found.missed) add("tile ", tile, " is missed");
  if (lines > 0) found.failure += failed(lines, lines == 1 ? " fault" : " faults").failure;
  return found;
}

/// Checks that each tile of the problem was taken once, by the numbers of the tiles of each block.
///
/// **Example** (tests/laws/taken.cpp):
///
///     CHECK(laws::check_taken(std::vector<std::vector<int>>{{0, 2}, {1, 3}}, 4));
template <class Taken>
requires std::integral<typename Taken::value_type::value_type> taken_report check_taken(const Taken& taken,
                                                                                        long long tiles) {
  std::vector<taken_tile> log;
  int block = 0;
  for (const auto& its : taken) {
    for (const auto tile : its) log.push_back({static_cast<long long>(tile), block});
    ++block;
  }
  return check_taken(log, tiles);
}

}}}  // namespace heddle::HEDDLE_ABI::laws

#pragma once

#include <cstddef>
#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/laws/verdict.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace laws {

/// One tile that a block of a cluster takes, and which operand it multicasts: that of the tile's row or of its column.
struct cluster_turn {
  coord tile;                                   // of its group
  int group = 0, k = 0;                         // k: how long the sum is, or where it begins
  bool shares_row = false, shares_col = false;  // whether it multicasts
};

/// Checks the law of multicast: in each turn, a block that multicasts the operand of a row has, beside it in its
/// cluster, blocks that multicast the same. They have the same row, group and k. Likewise for columns, above and below.
///
/// `taken` has the turns of each block. Blocks of a cluster follow each other, row by row of the cluster. A launch may
/// take each tile once and break this law: a block then multiplies what another tile needs, or waits forever.
///
/// **Preconditions**: `taken.size()` is a multiple of the blocks of `cluster`.
/// **Example** (tests/laws/taken.cpp):
///
///     return laws::check_multicast({{its}, {peer}}, cluster).failure;
inline verdict check_multicast(const std::vector<std::vector<cluster_turn>>& taken, extent cluster) {
  heddle::detail::require_at_least(1, "heddle::laws::check_multicast: blocks of a cluster", cluster.size());
  const auto in_cluster = static_cast<std::size_t>(cluster.size()), cols = static_cast<std::size_t>(cluster.cols);
  if (taken.size() % in_cluster != 0) {
    heddle::detail::refuse("heddle::laws::check_multicast: blocks", static_cast<long long>(taken.size()),
                           "a multiple of", cluster.size());
  }
  for (std::size_t block = 0; block < taken.size(); ++block) {
    const std::size_t place = block % in_cluster, first = block - place;
    for (std::size_t turn = 0; turn < taken[block].size(); ++turn) {
      const cluster_turn& its = taken[block][turn];
      for (std::size_t other = 0; other < in_cluster; ++other) {
        const bool beside = its.shares_row && other / cols == place / cols;
        const bool above = its.shares_col && other % cols == place % cols;
        if (other == place || !(beside || above)) continue;
        const auto pair_failed = [&](const auto&... why) {
          return failed("turn ", turn, " of block ", block, ", tile ", its.tile, " of group ", its.group,
                        ": it multicasts, but block ", first + other, why...);
        };
        const auto& turns = taken[first + other];
        if (turn >= turns.size()) return pair_failed(" has ended");
        const cluster_turn& peer = turns[turn];
        if (beside ? !peer.shares_row : !peer.shares_col) return pair_failed(" does not");
        if (peer.group != its.group) return pair_failed(" is in group ", peer.group);
        if (peer.k != its.k) return pair_failed(" has k ", peer.k, " in place of ", its.k);
        if (beside ? peer.tile.row != its.tile.row : peer.tile.col != its.tile.col) {
          return pair_failed(" has tile ", peer.tile);
        }
      }
    }
  }
  return {};
}

}}}  // namespace heddle::HEDDLE_ABI::laws

#pragma once

#include <algorithm>
#include <vector>

#include <heddle/order/groups.hpp>
#include <heddle/predict/detail/problem_size.hpp>
#include <heddle/predict/detail/problem_space.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Numbers the tiles of groups whose rows the host knows, or expects: group after group, and row after row within a
/// group. It has the members of a `tile_space`, and owns memory.
///
/// **Example** (tests/predict/spaces.cpp):
///
///     const group_tiles tiles = experts.space();
class group_tiles {
 public:
  /// Counts the tiles of groups that are `cols` tiles wide, in tiles of `tile_rows` rows.
  group_tiles(const std::vector<int>& rows, int tile_rows, int cols) : first_(1), cols_(cols) {
    first_.reserve(rows.size() + 1);
    for (const int of_group : rows) first_.push_back(first_.back() + detail::tiles_along(of_group, tile_rows));
  }

  /// Returns the number of tiles.
  int size() const { return first_.back() * cols_; }
  /// Returns the tiles of a row.
  int cols() const { return cols_; }
  /// Returns the rows of tiles before a group, or of all groups.
  int first(int group) const { return first_[static_cast<unsigned>(group)]; }

  /// Returns whether a tile is in its group.
  bool contains(group_coord tile) const {
    return 0 <= tile.group && tile.group < static_cast<int>(first_.size()) - 1 && 0 <= tile.row && 0 <= tile.col &&
           tile.col < cols_ && tile.row < first(tile.group + 1) - first(tile.group);
  }

  /// Returns the tile with a number, by a search.
  group_coord tile(int number) const {
    const int row = number / cols_;
    const auto behind = std::upper_bound(first_.begin(), first_.end(), row);  // the group behind that of the row
    const int group = static_cast<int>(behind - first_.begin()) - 1;
    return {group, row - first(group), number % cols_};
  }

  /// Returns the number of a tile.
  int number(group_coord tile) const { return (first(tile.group) + tile.row) * cols_ + tile.col; }

 private:
  std::vector<int> first_;  // of each group and of the end
  int cols_;
};

static_assert(detail::counted_space<group_tiles>);

}  // namespace heddle::inline HEDDLE_ABI::predict

#pragma once

#include <heddle/concepts.hpp>
#include <heddle/config.hpp>
#include <heddle/detail/bands.hpp>
#include <heddle/detail/fast_div.hpp>
#include <heddle/order/group_rows.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Names a tile of one of several groups by its group, and its row and column within the group.
struct group_coord {
  int group, row, col;  // counted from 0

  HEDDLE_FN friend bool operator==(group_coord a, group_coord b) {
    return a.group == b.group && a.row == b.row && a.col == b.col;
  }
};

/// Declares what the host knows of groups of rows whose sizes only the device knows. Rows are counted in elements.
///
/// **Example** (tests/order/groups.cpp):
///
///     const group_shape shape{.rows = 100, .groups = 4, .tile_rows = 16, .cols = 3};
struct group_shape {
  long long rows;       // of all groups together, at most
  long long groups;     // of which any may be empty
  long long tile_rows;  // rows of a tile
  long long cols;       // tiles beside each other, the same in every group

  /// Returns the most tiles that one column can have.
  HEDDLE_HOST int most_row_tiles() const {
    detail::require_int_at_least(1, "heddle::group_shape: tile_rows", tile_rows);
    return static_cast<int>(groups == 0 ? 0 : rows <= groups ? rows : groups + (rows - groups) / tile_rows);
  }

  /// Refuses a shape that cannot be right, or has more than 2^31 - 1 tiles.
  HEDDLE_HOST void check() const {
    detail::require_int_at_least(0, "heddle::group_shape: rows", rows);
    detail::require_int_at_least(0, "heddle::group_shape: groups", groups);
    detail::require_int_at_least(0, "heddle::group_shape: cols", cols);
    detail::require_at_most(0x7fffffff, "heddle::group_shape: tiles", 1LL * most_row_tiles() * cols);
  }
};

/// Names which group of a `grouped` order comes first.
enum class group_sequence {
  as_numbered,     // group 0, group 1, …
  heaviest_first,  // the group of most rows, or of most rows x weight; groups of equal weight as they are numbered
  lightest_first   // the groups of heaviest_first from the last to the first: under `reversed` the heaviest come first
};

/// Reports what a preparation found. It is at the start of the state: copy it to read it on the host.
struct prepared_groups {
  int tiles;      // of all groups
  int row_tiles;  // the same, of one column
  int wrong;      // numbers that `group_rows` calls wrong: their groups are empty
  int last_end;   // the rows of all groups: the largest end that is not wrong, or the sum of such lengths
};

namespace detail::order {

struct preparation;

/// Returns what lies this many bytes behind the start of a state.
template <class Part>
HEDDLE_HOST Part* part(void* state, decltype(sizeof 0) at) {
  return reinterpret_cast<Part*>(static_cast<char*>(state) + at);
}

#if defined(__NVCC__) && !defined(__CUDACC_RTC__)
#pragma nv_exec_check_disable
#endif
HEDDLE_FN void require_known(bool on_host) {
  if (compiled_code == 0 && !on_host) {
    refuse("heddle::grouped: size()", " is known to the device alone; most_tiles(order) bounds it");
  }
}

}  // namespace detail::order

/// A space of groups of rows, of sizes that a preparation on the device has found.
///
///   rows 130, 0, 64; tiles of 64 rows, 2 columns      0 1      6 7      the numbers of its tiles
///                                                     2 3
///                                                     4 5
class groups {
 public:
  /// Returns the number of tiles.
  HEDDLE_FN int size() const {
    detail::order::require_known(on_host_);
    return prepared_->row_tiles * columns_;
  }

  /// Returns the number of groups, also of those without rows.
  HEDDLE_FN int count() const { return count_; }
  /// Returns the rows of tiles of a group.
  HEDDLE_FN int row_tiles(int group) const { return first_[group + 1] - first_[group]; }

  /// Returns whether a tile is in its group.
  HEDDLE_FN bool contains(group_coord tile) const {
    return 0 <= tile.group && tile.group < count_ && 0 <= tile.row && 0 <= tile.col && tile.col < columns_ &&
           tile.row < row_tiles(tile.group);
  }

  /// Returns the tile with a number, by a search.
  HEDDLE_FN group_coord tile(int number) const {
    const auto [row, col] = cols_(number);
    int group = 0;
    for (int step = 1 << 30; step > 0; step /= 2) {
      if (step <= count_ - 1 - group && first_[group + step] <= row) group += step;
    }
    return {group, row - first_[group], col};
  }

  /// Returns the number of a tile.
  HEDDLE_FN int number(group_coord tile) const { return (first_[tile.group] + tile.row) * cols_.divisor() + tile.col; }

  /// Gives rows [begin, end) of all groups.
  struct alignas(8) row_range {
    int begin, end;  // counted in elements
  };

  /// Returns the rows of a tile. The last tile of a group may have fewer than `tile_rows`.
  HEDDLE_FN row_range rows_of(group_coord tile) const {
    const row_range all = rows_[tile.group];
    const int begin = all.begin + tile.row * tile_rows_, end = all.end;
    return {begin, end - begin < tile_rows_ ? end : begin + tile_rows_};
  }

  /// Returns the rows of a group.
  HEDDLE_FN row_range rows_of(int group) const { return rows_[group]; }

  /// Returns the same groups with another number of columns of tiles: clusters have fewer of them than blocks. Columns
  /// with which the groups may have more than 2^31 - 1 tiles are refused.
  HEDDLE_HOST groups with_cols(long long cols) const {
    groups copy = *this;
    copy.columns_ = detail::require_int_at_least(0, "heddle::groups: cols", cols);
    detail::require_at_most(0x7fffffff, "heddle::groups: tiles", most_row_tiles_ * cols);
    copy.cols_ = detail::fast_div(copy.columns_);
    return copy;
  }
  /// Returns the number of columns of tiles.
  HEDDLE_FN int cols() const { return columns_; }

 private:
  friend class grouped;
  friend struct detail::order::preparation;

  HEDDLE_HOST groups(group_shape shape, void* state)
      : prepared_((shape.check(), static_cast<prepared_groups*>(state))),
        rows_(detail::order::part<row_range>(state, sizeof(prepared_groups))),
        first_(detail::order::part<int>(rows_, sizeof(row_range) * static_cast<decltype(sizeof 0)>(shape.groups))),
        places_(first_ + shape.groups + 1),
        count_(static_cast<int>(shape.groups)),
        columns_(static_cast<int>(shape.cols)),
        tile_rows_(static_cast<int>(shape.tile_rows)),
        cols_(columns_),
        most_row_tiles_(shape.most_row_tiles()) {}

  prepared_groups* prepared_;
  row_range* rows_;  // of each group
  int* first_;       // of each group and of the end: tiles of one column before it, as the groups are numbered
  int* places_;      // of each group, in the sequence
  int count_;
  int columns_, tile_rows_;
  detail::fast_div cols_;
  int most_row_tiles_;  // in one column, by the shape
  bool on_host_ = false;
};

/// Returns the groups of the clusters that cover the tiles. The blocks of a cluster lie in one row, so that both have
/// work wherever a group ends.
HEDDLE_HOST groups ceil_div(const groups& tiles, extent cluster) {
  detail::require_equal(1, "heddle::ceil_div: tile.rows, for groups", cluster.rows);
  return tiles.with_cols(ceil_div(0, tiles.cols(), cluster).cols);
}

}}  // namespace heddle::HEDDLE_ABI

#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <heddle/order/groups.hpp>
#include <heddle/predict/detail/orders_over.hpp>
#include <heddle/predict/problem.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Numbers the tiles of groups whose rows the host knows, or expects: group after group, and row after row within a
/// group. It has the members of a `tile_space`, and owns memory, which copies share.
///
/// **Example** (tests/predict/spaces.cpp):
///
///     const group_tiles tiles = experts.space();
class group_tiles {
 public:
  /// Counts the tiles of groups that are `cols` tiles wide, in tiles of `tile_rows` rows.
  group_tiles(std::vector<int> rows, int tile_rows, int cols) : cols_(cols) {
    detail::require_at_least(1, "heddle::predict::group_tiles: tile_rows", tile_rows);
    detail::require_at_least(0, "heddle::predict::group_tiles: cols", cols);
    auto of = std::make_shared<of_groups>();
    of->first.reserve(rows.size() + 1);
    long long tiles = 0;
    for (const int of_group : rows) {
      detail::require_at_least(0, "heddle::predict::group_tiles: rows of a group", of_group);
      tiles += detail::tiles_along(of_group, tile_rows);
      detail::require_at_most(0x7fffffff, "heddle::predict::group_tiles: tiles", tiles * (std::max)(1, cols));
      of->first.push_back(static_cast<int>(tiles));
    }
    of->rows = std::move(rows);
    of_ = std::move(of);
  }

  /// Returns the number of tiles.
  int size() const { return of_->first.back() * cols_; }
  /// Returns the tiles of a row.
  int cols() const { return cols_; }
  /// Returns the number of groups.
  int groups() const { return static_cast<int>(of_->rows.size()); }
  /// Returns the rows of a group, in elements.
  int rows(int group) const { return of_->rows[static_cast<unsigned>(group)]; }
  /// Returns the rows of tiles before a group, or of all groups.
  int first(int group) const { return of_->first[static_cast<unsigned>(group)]; }

  /// Returns whether a tile is in its group.
  bool contains(group_coord tile) const {
    return 0 <= tile.group && tile.group < groups() && 0 <= tile.row && 0 <= tile.col && tile.col < cols_ &&
           tile.row < first(tile.group + 1) - first(tile.group);
  }

  /// Returns the tile with a number, by a search.
  group_coord tile(int number) const {
    const int row = number / cols_;
    const auto behind =
        std::upper_bound(of_->first.begin(), of_->first.end(), row);  // the group behind that of the row
    const int group = static_cast<int>(behind - of_->first.begin()) - 1;
    return {group, row - first(group), number % cols_};
  }

  /// Returns the number of a tile.
  int number(group_coord tile) const { return (first(tile.group) + tile.row) * cols_ + tile.col; }

 private:
  struct of_groups {
    std::vector<int> rows, first = std::vector<int>(1);  // first: row of tiles of each group, and the end
  };
  std::shared_ptr<const of_groups> of_;
  int cols_;
};

static_assert(detail::counted_space<group_tiles>);

}}}  // namespace heddle::HEDDLE_ABI::predict

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Groups: each in bands, one after another, as `grouped` takes them.
template <>
struct orders_over<predict::group_tiles> {
  using order = computed_order<group_coord>;

  static std::vector<recipe> usual(const predict::group_tiles&) { return {{recipe::thread_group_tiling, 1, axis::y}}; }
  static order at(const recipe& by, const predict::group_tiles& space) {
    const auto in_bands = [by](const predict::group_tiles& tiles, int i) {
      const int group = tiles.tile(i).group, first = tiles.first(group);
      const extent grid(tiles.first(group + 1) - first, tiles.cols());
      const auto [row, col] = thread_group_tiling{grid, by.width, by.axis}(i - first * tiles.cols());
      return group_coord{group, row, col};
    };
    if (by.sequence == group_sequence::as_numbered) {
      return {space.size(), [=](int i) { return in_bands(space, i); }};
    }
    const auto group_at = std::make_shared<std::vector<int>>(static_cast<unsigned>(space.groups()));
    std::iota(group_at->begin(), group_at->end(), 0);
    std::stable_sort(group_at->begin(), group_at->end(), [&](int a, int b) { return space.rows(a) > space.rows(b); });
    if (by.sequence == group_sequence::lightest_first) std::reverse(group_at->begin(), group_at->end());
    std::vector<int> tiles;
    for (const int group : *group_at) tiles.push_back(space.first(group + 1) - space.first(group));
    return {space.size(), [=, sorted = predict::group_tiles(std::move(tiles), 1, space.cols())](int i) {
              group_coord tile = in_bands(sorted, i);
              tile.group = (*group_at)[static_cast<unsigned>(tile.group)];
              return tile;
            }};
  }
};

}}}  // namespace heddle::HEDDLE_ABI::detail

#pragma once

// What the tests of groups share: an oracle that knows the rows of each group, and lists their tiles.

#include <algorithm>
#include <string>
#include <vector>

#include <heddle/laws/check_order.hpp>
#include <heddle/order/grouped.hpp>

namespace heddle_test {

using namespace heddle;

inline std::vector<int> ends_of(const std::vector<int>& rows) {
  std::vector<int> ends;
  int end = 0;
  for (const int each : rows) ends.push_back(end += each);
  return ends;
}

constexpr group_sequence sequences[] = {group_sequence::as_numbered, group_sequence::heaviest_first,
                                        group_sequence::lightest_first};

/// Returns the groups that have tiles, as an order takes them.
template <class Order>
std::vector<int> groups_along(const Order& order) {
  std::vector<int> found;
  for (int i = 0; i < order.size(); ++i) {
    if (found.empty() || found.back() != order(i).group) found.push_back(order(i).group);
  }
  return found;
}

inline int ceil_div_of(int rows, int tile_rows) {
  return (rows + tile_rows - 1) / tile_rows;
}

/// Says what is wrong with a prepared order of groups with these rows, or nothing.
inline std::string broken(const grouped& order, const std::vector<int>& rows, int tile_rows, int cols) {
  std::vector<group_coord> tiles;
  for (std::size_t group = 0; group < rows.size(); ++group) {
    for (int row = 0; row < ceil_div_of(rows[group], tile_rows); ++row) {
      for (int col = 0; col < cols; ++col) tiles.push_back({static_cast<int>(group), row, col});
    }
  }
  if (order.size() != static_cast<int>(tiles.size())) return "size() is " + std::to_string(order.size());
  if (order.size() > order.most_tiles()) return "more tiles than most_tiles()";
  if (const laws::verdict found = laws::check_order(order); !found) return found.failure;
  for (std::size_t number = 0; number < tiles.size(); ++number) {
    const group_coord tile = tiles[number];
    if (!(order.space().tile(static_cast<int>(number)) == tile)) return "tile(number)";
    if (order.space().number(tile) != static_cast<int>(number)) return "number(tile)";
    if (!order.space().contains(tile)) return "contains(tile)";
    int before = 0;
    for (int group = 0; group < tile.group; ++group) before += rows[static_cast<unsigned>(group)];
    const auto [begin, end] = order.rows_of(tile);
    const int last = before + rows[static_cast<unsigned>(tile.group)];
    if (begin != before + tile.row * tile_rows || end != (std::min)(begin + tile_rows, last)) return "rows_of(tile)";
  }
  const int count = static_cast<int>(rows.size());
  for (const group_coord outside : {group_coord{-2, 0, 0},
                                    {-1, 0, 0},
                                    {count, 0, 0},
                                    {count + 1, 0, 0},
                                    {count + 2, 0, 0},
                                    {0, -1, 0},
                                    {0, 0, -1},
                                    {0, 0, cols}}) {
    if (order.space().contains(outside)) return "contains a tile outside";
  }
  if (order.space().count() != count || order.space().cols() != cols) return "count(), cols()";
  for (std::size_t group = 0; group < rows.size(); ++group) {
    if (order.space().row_tiles(static_cast<int>(group)) != ceil_div_of(rows[group], tile_rows)) return "row_tiles()";
    if (order.space().contains({static_cast<int>(group), ceil_div_of(rows[group], tile_rows), 0}))
      return "contains a row outside";
  }
  // Group follows group.
  std::vector<bool> seen(rows.size());
  int last = -1;
  for (int i = 0; i < order.size(); ++i) {
    const int group = order(i).group;
    if (group != last && seen[static_cast<unsigned>(group)]) return "a group comes twice";
    seen[static_cast<unsigned>(group)] = true;
    last = group;
  }
  return "";
}

}  // namespace heddle_test

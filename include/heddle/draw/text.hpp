#pragma once

#include <algorithm>
#include <string>

#include <heddle/concepts.hpp>
#include <heddle/draw/detail/sheet.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace draw {

/// Writes an order of an `extent`, of a `triangle`, of a `batch` of either, or of `groups` as text: each tile as its
/// index in the order, each row of tiles as a line.
///
///   text(cta_swizzle{{3, 4}, 2})       0  1 10 11      text(batched{row_major{{2, 2}}, 2})      plane 0   plane 1
///                                      2  3  8  9                                               0 1       4 5
///                                      4  5  6  7                                               2 3       6 7
///
/// A tile of the grid that is not in the triangle is left blank. Planes and groups stand side by side, in lines of up
/// to 100 characters.
///
/// **Preconditions**: the order is no order of clusters, and of no other space; such an order is a compile error.
///
/// **Example** (tests/golden/golden.cpp):
///
///     CHECK(draw::text(row_major{{1, 10}}) == "0 1 2 3 4 5 6 7 8 9\n");
template <space_order Order>
std::string text(const Order& order) {
  static_assert(!cluster_order<Order>,
                "heddle::draw::text: an order of clusters has no picture of its tiles. Write the "
                "order that clustered{order, cluster, grid} was given");
  using space_type = space_of<Order>;
  static_assert(detail::has_picture<space_type>,
                "heddle::draw::text: the order's space has no picture. Orders of an extent, of a triangle, of a "
                "batch of either, and of groups can be written");
  const space_type space = order.space();
  const auto digits = std::to_string((std::max)(0, order.size() - 1)).size();
  const int planes = detail::planes_of(space), rows = detail::rows_of(space), cols = detail::cols_of(space);

  const auto line_of = [&](int plane, int row) {
    std::string line;
    for (int col = 0; col < cols; ++col) {
      const auto tile = detail::tile_of_plane<space_type>(plane, {row, col});
      const std::string index = space.contains(tile) ? std::to_string(order.index(tile)) : "";
      if (col > 0) line += ' ';
      line.append(digits - (std::min)(digits, index.size()), ' ') += index;
    }
    return line;
  };
  std::string picture;
  const auto add_line = [&](std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    picture += line + '\n';
  };
  if constexpr (detail::has_planes<space_type>) {
    constexpr const char* name = detail::plane_name<space_type>;
    const auto columns = static_cast<std::size_t>(cols);
    const std::size_t width = (std::max)((digits + 1) * columns - 1, detail::caption(name, planes).size()) + 3;
    const int across = (std::max)(1, static_cast<int>((100 + 3) / width));
    for (int first = 0; first < planes; first += across) {
      const int end = (std::min)(planes, first + across);
      if (first > 0) picture += '\n';
      for (int row = -1; row < rows; ++row) {
        std::string line;
        for (int plane = first; plane < end; ++plane) {
          std::string part = row < 0 ? detail::caption(name, plane) : line_of(plane, row);
          part.resize((std::max)(part.size(), width), ' ');
          line += part;
        }
        add_line(line);
      }
    }
  } else {
    for (int row = 0; row < rows; ++row) add_line(line_of(0, row));
  }
  return picture;
}

}}}  // namespace heddle::HEDDLE_ABI::draw

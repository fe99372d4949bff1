#pragma once

// What the tests of groups share: an oracle that knows the rows of each group, and lists their tiles.

#include <heddle/laws/check_order.hpp>
#include <heddle/order/grouped.hpp>

#include "test.hpp"

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

/// Checks what weights do to the sequence of the heaviest first. `prepare(shape, ends, sequence, weights)` returns what
/// has the order, and what was found.
template <class Prepare>
void counts_weights(const Prepare& prepare) {
  const std::vector<int> ends = ends_of({3, 7, 3, 0, 7, 1}), weights{5, 1, 1, 9, 1, 0};
  const group_shape shape{.rows = 21, .groups = 6, .tile_rows = 1, .cols = 1};
  const auto sequence_of = [&](const std::vector<int>& of) {
    const auto groups = prepare(shape, ends, group_sequence::heaviest_first, of.empty() ? nullptr : of.data());
    return groups_along(groups.order());
  };
  CHECK(sequence_of({}) == std::vector<int>{1, 4, 0, 2, 5});
  CHECK(sequence_of(weights) == std::vector<int>{0, 1, 4, 2, 5});
  // A negative weight is none. 3 x 2^31 - 3 and 7 x 2^30 are past 32 bits.
  CHECK(sequence_of({-5, 1, -1, 9, 0x7fffffff * -1 - 1, 2}) == std::vector<int>{1, 5, 0, 2, 4});
  CHECK(sequence_of({0x7fffffff, 900, 1 << 30, 9, 1 << 30, 0x7fffffff}) == std::vector<int>{4, 0, 2, 5, 1});
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

/// Checks that ends that are wrong are counted, and that their groups are empty.
template <class Prepare>
void counts_wrong_ends(const Prepare& prepare) {
  const group_shape shape{.rows = 20, .groups = 7, .tile_rows = 4, .cols = 2};
  const std::vector<int> ends{5, 3, -1, 9, 21, 0x7fffffff, 20};  // backwards, negative, and past what is declared
  for (const group_sequence sequence : sequences) {
    const auto groups = prepare(shape, ends, sequence, nullptr);
    CHECK(groups.found().wrong == 4);
    CHECK(groups.found().last_end == 20);
    CHECK(groups.found().tiles == groups.order().size());
    CHECK(broken(groups.order(), {5, 0, 0, 4, 0, 0, 11}, 4, 2) == "");
  }
  // Ends that alternate could ask for more tiles than were declared.
  const auto groups = prepare(shape, {20, 0, 20, 0, 20, 0, 20}, group_sequence::as_numbered, nullptr);
  CHECK(groups.found().wrong == 3);
  CHECK(broken(groups.order(), {20, 0, 0, 0, 0, 0, 0}, 4, 2) == "");
}

/// Where the rows of groups lie, one number after the other, and how many of the numbers are wrong.
struct said_rows {
  std::vector<groups::row_range> of;
  int wrong = 0;
  long long last_end = 0;
};

/// Finds for ends where groups lie: each from the largest right end before it.
inline said_rows said_by_ends(const std::vector<long long>& ends, long long rows) {
  said_rows said;
  for (const long long end : ends) {
    const bool is_right = said.last_end <= end && end <= rows;
    said.of.push_back({static_cast<int>(said.last_end), static_cast<int>(is_right ? end : said.last_end)});
    said.wrong += is_right ? 0 : 1;
    said.last_end = said.of.back().end;
  }
  return said;
}

/// Finds for lengths, and where groups begin if that is said, where they lie.
inline said_rows said_by_lengths(const std::vector<long long>& lengths, const std::vector<long long>& begins,
                                 long long rows) {
  said_rows said;
  long long all = 0;
  for (std::size_t group = 0; group < lengths.size(); ++group) {
    const long long length = lengths[group], begin = begins.empty() ? all : begins[group];
    const bool lies_right = begins.empty() || (0 <= begin && begin + length <= 0x7fffffff);
    const bool can_be = 0 <= length && length <= rows && lies_right;
    all += can_be ? length : 0;
    const bool is_right = can_be && all <= rows;
    said.of.push_back({static_cast<int>(begin), static_cast<int>(begin)});
    if (is_right) said.of.back().end += static_cast<int>(length), said.last_end += length;
    said.wrong += length == 0 || is_right ? 0 : 1;
  }
  return said;
}

template <class Number>
std::vector<Number> as_numbers(const std::vector<long long>& of) {
  return {of.begin(), of.end()};
}

/// Checks every form of `group_rows` on random numbers, some of them wrong, in one type. `prepare(shape, rows,
/// sequence)` returns what has the order, and what was found.
template <class Number, class Prepare>
void reads_forms_of(const Prepare& prepare, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int most) { return static_cast<long long>(random() % static_cast<unsigned>(most)); };
  const auto damaged = [&](long long number) {
    const long long wrong[] = {-1, -7, 0x7fffffff, 500, sizeof(Number) == 8 ? (1LL << 32) + 3 : 499};
    return below(8) == 0 ? static_cast<long long>(static_cast<Number>(wrong[below(5)])) : number;
  };
  for (int turn = 0; turn < 12; ++turn) {
    const auto count = static_cast<std::size_t>(1 + below(150));
    std::vector<long long> lengths(count), begins(count), offsets{below(4)};
    const long long rows = below(2) == 0 ? 450 : 6 * static_cast<long long>(count);
    for (std::size_t group = 0; group < count; ++group) {
      const long long length = below(6);
      offsets.push_back(offsets.back() + length);
      const bool is_last = below(9) == 0;  // up to the last row that there can be
      begins[group] = is_last ? 0x7fffffff - length + below(2) : below(1000);
      if (turn % 3 != 0) begins[group] = damaged(begins[group]);
      lengths[group] = turn % 2 == 0 ? length : damaged(length);
    }
    if (turn % 4 == 1) {
      for (long long& each : offsets) each = damaged(each);
    }
    const std::vector<long long> ends(offsets.begin() + 1, offsets.end());
    const group_shape shape{.rows = rows, .groups = static_cast<long long>(count), .tile_rows = 4, .cols = 2};
    const auto check_rows = [&](const char* form, const auto& of, const said_rows& said) {
      CAPTURE(form, turn, count, rows);
      for (const group_sequence sequence : sequences) {
        const auto prepared = prepare(shape, of, sequence);
        const grouped& order = prepared.order();
        CHECK(prepared.found().wrong == said.wrong);
        CHECK(prepared.found().last_end == said.last_end);
        REQUIRE(laws::check_order(order).failure == "");
        int tiles = 0;
        for (std::size_t group = 0; group < count; ++group) {
          const auto [begin, end] = order.space().rows_of(static_cast<int>(group));
          const int all = said.of[group].end - said.of[group].begin;
          REQUIRE(end - begin == all);
          if (all > 0) REQUIRE(begin == said.of[group].begin);
          REQUIRE(order.space().row_tiles(static_cast<int>(group)) == ceil_div_of(all, 4));
          tiles += 2 * ceil_div_of(all, 4);
        }
        REQUIRE(order.size() == tiles);
        REQUIRE(order.size() <= order.most_tiles());
      }
    };
    const auto of_lengths = as_numbers<Number>(lengths), of_offsets = as_numbers<Number>(offsets),
               of_begins = as_numbers<Number>(begins);
    check_rows("ends", of_offsets.data() + 1, said_by_ends(ends, rows));
    std::vector<long long> differences;
    for (std::size_t group = 0; group < count; ++group) differences.push_back(offsets[group + 1] - offsets[group]);
    check_rows("offsets", group_rows::offsets(of_offsets.data()), said_by_lengths(differences, offsets, rows));
    check_rows("lengths", group_rows::lengths(of_lengths.data()), said_by_lengths(lengths, {}, rows));
    check_rows("offsets and lengths", group_rows::offsets(of_begins.data(), of_lengths.data()),
               said_by_lengths(lengths, begins, rows));
  }
}

template <class Prepare>
void reads_every_form(const Prepare& prepare) {
  reads_forms_of<int>(prepare, 1);
  reads_forms_of<unsigned>(prepare, 2);
  reads_forms_of<std::int64_t>(prepare, 3);
  reads_forms_of<long long>(prepare, 4);
}

}  // namespace heddle_test

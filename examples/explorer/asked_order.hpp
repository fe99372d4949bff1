#pragma once

#include <heddle/order.hpp>

#include <optional>
#include <string>

#include "question.hpp"
#include "typed_order.hpp"

namespace explorer {

/// The names of orders: those of `predict::order_kind`, and three more.
constexpr const char* order_names[] = {"row_major", "thread_group_tiling", "cta_swizzle", "hilbert",
                                       "dilated",   "column_major",        "morton",      "own"};

constexpr int most_of_cluster = 16;  // blocks, of the largest clusters that any card has

/// The order of a question as values within their limits. Pictures and lines to paste are made of these alone.
struct asked_order {
  std::string name;                    // one of `order_names`
  predict::order_choice choice;        // for an order that `predict` names
  std::optional<expression> row, col;  // for an order of the reader's own
  extent cluster{1, 1};                // in tiles
  bool is_transposed = false, is_reversed = false;
  int first = 0;       // of rotated
  int interleave = 1;  // of batched
  group_sequence sequence = group_sequence::as_numbered;

  bool is_clustered() const { return cluster.size() > 1; }
};

/// Returns the width, the axis and the step of a question.
inline predict::order_choice choice_of(const question& q, predict::order_kind kind, axis missing) {
  constexpr const char* axes[] = {"x", "y"};
  const int along = q.name("axis", axes, missing == axis::y ? 1 : 0);
  return {
      kind, q.number("width", 8), along == 1 ? axis::y : axis::x, {q.number("step_rows", 1), q.number("step_cols", 1)}};
}

/// Returns the order of a question over a grid of tiles.
inline asked_order order_of(const question& q, extent tiles) {
  using predict::order_kind;
  const int number = q.name("order", order_names);
  const bool has_kind = number <= static_cast<int>(order_kind::dilated);
  asked_order asked;
  asked.name = order_names[number];
  asked.choice = choice_of(q, has_kind ? static_cast<order_kind>(number) : order_kind::row_major, axis::x);
  if (asked.name == "own") {
    asked.row = expression("row", q.text("row"));
    asked.col = expression("col", q.text("col"));
  }
  const int cluster_rows = q.number("cluster_rows", 1, 1, most_of_cluster);
  asked.cluster = {cluster_rows, q.number("cluster_cols", 1, 1, most_of_cluster / cluster_rows)};
  asked.is_transposed = q.flag("transposed");
  asked.is_reversed = q.flag("reversed");
  asked.first = q.number("first", 0);

  // An order of too many tiles to draw has lines to paste, too: the library's constructors check them here.
  const extent clusters = ceil_div(tiles, asked.cluster);
  predict::with_order(asked.choice, asked.is_transposed ? clusters.transposed() : clusters, [](const auto&) {});
  clustered{rotated{row_major{clusters}, asked.first}, asked.cluster, tiles};
  return asked;
}

/// Returns the order of a question over the tiles of its problem.
template <class Problem>
asked_order order_of(const question& q, const Problem& problem) {
  return order_of(q, problem.grid());
}
inline asked_order order_of(const question& q, const predict::batched_problem& problem) {
  const extent tiles = problem.space().plane();
  asked_order asked = order_of(q, tiles);
  asked.interleave = q.number("interleave", 1);
  const extent clusters = ceil_div(tiles, asked.cluster);
  batched{clustered{row_major{clusters}, asked.cluster, tiles}, problem.count, asked.interleave};
  return asked;
}
inline asked_order order_of(const question& q, const predict::grouped_problem& problem) {
  constexpr const char* names[] = {"thread_group_tiling"};
  constexpr const char* sequences[] = {"as_numbered", "heaviest_first"};
  problem.check();
  asked_order asked;
  asked.name = names[q.name("order", names)];
  asked.choice = choice_of(q, predict::order_kind::thread_group_tiling, axis::y);
  asked.sequence = q.name("sequence", sequences) == 1 ? group_sequence::heaviest_first : group_sequence::as_numbered;
  predict::with_order(asked.choice, {0, 0}, [](const auto&) {});
  return asked;
}

/// Returns the schedule of a question.
inline predict::schedule_choice schedule_of(const question& q) {
  const char* names[std::size(predict::all_schedules)];
  std::transform(std::begin(predict::all_schedules), std::end(predict::all_schedules), names, predict::name_of);
  return {predict::all_schedules[q.name("schedule", names)], q.number("run", 1, 1)};
}

}  // namespace explorer

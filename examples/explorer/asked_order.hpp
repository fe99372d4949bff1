#pragma once

#include <heddle/order.hpp>
#include <heddle/recipe.hpp>

#include <optional>

#include "question.hpp"
#include "typed_order.hpp"

namespace explorer {

constexpr int most_of_cluster = 16;  // blocks, of the largest clusters that any card has

/// The launch of a question as values within their limits. Pictures and lines to paste are made of these alone.
struct asked_order {
  recipe by;
  std::optional<expression> row, col;  // for an order of the reader's own

  bool is_clustered() const { return by.cluster.size() > 1; }
};

/// Returns the order and the scheduler of a question, with the width, the axis and the step.
template <std::size_t Count>
recipe recipe_of(const question& q, const char* const (&orders)[Count], axis missing) {
  constexpr const char* axes[] = {"x", "y"};
  const char* schedules[recipe::stream_k];  // all but the last, which needs the steps of a tile
  std::copy_n(recipe::schedule_names, recipe::stream_k, schedules);
  recipe by{.width = q.number("width", 8),
            .axis = q.name("axis", axes, missing == axis::y ? 1 : 0) == 1 ? axis::y : axis::x,
            .step = {q.number("step_rows", 1), q.number("step_cols", 1)},
            .schedule = static_cast<recipe::schedule_kind>(q.name("schedule", schedules)),
            .run = q.number("run", 1, 1)};
  by.order = from_string(orders[q.name("order", orders)]).order;
  return by;
}

/// Returns the order of a question over a grid of tiles.
inline asked_order order_of(const question& q, extent tiles) {
  asked_order asked{recipe_of(q, recipe::order_names, axis::x), {}, {}};
  recipe& by = asked.by;
  by.transposed = q.flag("transposed");
  if (by.order == recipe::own) {
    asked.row = expression("row", q.text("row"));
    asked.col = expression("col", q.text("col"));
  }
  const int cluster_rows = q.number("cluster_rows", 1, 1, most_of_cluster);
  by.cluster = {cluster_rows, q.number("cluster_cols", 1, 1, most_of_cluster / cluster_rows)};

  // An order of too many tiles to draw has lines to paste, too: the library's constructors check them here.
  const extent clusters = ceil_div(tiles, by.cluster);
  if (by.order != recipe::own) with_recipe(by, clusters, [](const auto&) {});
  by.reversed = q.flag("reversed");
  by.first = q.number("first", 0);
  clustered{rotated{row_major{clusters}, by.first}, by.cluster, tiles};
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
  asked.by.interleave = q.number("interleave", 1);
  const extent clusters = ceil_div(tiles, asked.by.cluster);
  clustered{batched{row_major{clusters}, problem.count, asked.by.interleave}, asked.by.cluster, problem.space()};
  return asked;
}
inline asked_order order_of(const question& q, const predict::pairs_problem& problem) {
  asked_order asked = order_of(q, problem.space().folded());
  detail::require_equal(1, "cluster_rows, cluster_cols", asked.by.cluster.size());
  return asked;
}
inline asked_order order_of(const question& q, const predict::grouped_problem& problem) {
  constexpr const char* names[] = {"thread_group_tiling"};
  constexpr const char* sequences[] = {"as_numbered", "heaviest_first"};
  problem.check();
  asked_order asked{recipe_of(q, names, axis::y), {}, {}};
  asked.by.sequence = static_cast<group_sequence>(q.name("sequence", sequences));
  with_recipe(asked.by, {0, 0}, [](const auto&) {});
  return asked;
}

}  // namespace explorer

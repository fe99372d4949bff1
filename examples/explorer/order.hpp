#pragma once

#include <heddle/order.hpp>

#include <optional>
#include <vector>

#include "asked_order.hpp"

namespace explorer {

constexpr int most_drawn = 1 << 20;  // tiles that the page draws and replays

inline void require_drawn(long long tiles) {
  if (tiles > most_drawn) throw invalid_argument("tiles to draw and to replay here", tiles, "at most", most_drawn);
}

/// An order on the host as a table that owns its memory.
class table {
 public:
  template <class Order>
  table(const Order& order, extent grid) : grid_(grid), entries_(make_tile_table(order)) {}
  table(tile_table::entries&& entries, extent grid) : grid_(grid), entries_(std::move(entries)) {}

  tile_table order() const { return {grid_, entries_.data()}; }

 private:
  extent grid_;
  tile_table::entries entries_;
};

/// Returns an order without its clusters, over a grid of tiles or of clusters.
inline table order_of_grid(const asked_order& asked, extent grid) {
  const extent inner = asked.is_transposed ? grid.transposed() : grid;
  const auto base = [&]() -> table {
    if (asked.name == "own") return {typed_table(*asked.row, *asked.col, inner), inner};
    if (asked.name == "column_major") return {column_major{inner}, inner};
    if (asked.name == "morton") return {morton{inner}, inner};
    return with_order(asked.choice, inner, [&](const auto& order) { return table(order, inner); });
  };
  std::optional<table> made(base());
  if (asked.is_transposed) made.emplace(table(transposed{made->order()}, grid));
  if (asked.is_reversed) made.emplace(table(reversed{made->order()}, grid));
  if (asked.first > 0) made.emplace(table(rotated{made->order(), asked.first}, grid));
  return std::move(*made);
}

/// Returns the tiles of an order of clusters, cluster by cluster, as a table.
template <class Order, class Space>
tile_table::entries tiles_of_clusters(const Order& order, const Space& space) {
  tile_table::entries tiles(space.size());
  int i = 0;
  for (int cluster = 0; cluster < order.size(); ++cluster) {
    for (int block = 0; block < order.blocks_in_cluster(); ++block) {
      const auto tile = order.tile(cluster, block);
      if (!order.contains(tile)) continue;
      const int number = space.number(tile);
      tiles.data()[i].tile = number;
      tiles.data()[number].index = i++;
    }
  }
  return tiles;
}

/// Calls `f` with an order over the tiles of a problem.
template <class F>
void with_tiles(const asked_order& asked, const predict::grouped_problem& problem, const F& f) {
  require_drawn(problem.space().size());
  const std::vector<int> ends = problem.ends();
  const group_shape shape = problem.shape();
  std::vector<long long> state(grouped::state_bytes(shape) / 8 + 2);
  const grouped order(shape, state.data(), asked.choice.width, asked.choice.axis, asked.sequence);
  f(order.on_host(ends.data()));
}

template <class F>
void with_tiles(const asked_order& asked, const predict::batched_problem& problem, const F& f) {
  const batch<extent> space = problem.space();
  require_drawn(space.size());
  const extent grid = space.plane();
  const table plane = order_of_grid(asked, ceil_div(grid, asked.cluster));
  const auto entries =
      asked.is_clustered()
          ? tiles_of_clusters(batched{clustered{plane.order(), asked.cluster, grid}, space.count(), asked.interleave},
                              space)
          : make_tile_table(batched{plane.order(), space.count(), asked.interleave});
  f(space_table{space, entries.data()});
}

template <class Problem, class F>
void with_tiles(const asked_order& asked, const Problem& problem, const F& f) {
  const extent grid = problem.grid();
  require_drawn(grid.size());
  const table made = order_of_grid(asked, ceil_div(grid, asked.cluster));
  if (!asked.is_clustered()) return f(made.order());
  const table tiles(tiles_of_clusters(clustered{made.order(), asked.cluster, grid}, grid), grid);
  f(tiles.order());
}

/// Calls `f` with the problem of a question, its card, the blocks per multiprocessor, the order and the schedule. A
/// question is refused for any of its fields before it is refused for its tiles.
template <class F>
void with_launch(const question& q, const F& f) {
  with_problem(q, [&](const auto& problem) {
    problem.check();
    const predict::device chip = device_of(q);
    chip.check();
    const int blocks = blocks_of(q);
    const predict::schedule_choice schedule = schedule_of(q);
    with_tiles(order_of(q, problem), problem, [&](const auto& order) { f(problem, chip, blocks, order, schedule); });
  });
}

}  // namespace explorer

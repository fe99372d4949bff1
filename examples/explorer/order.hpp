#pragma once

#include <heddle/order.hpp>

#include <optional>
#include <vector>

#include "question.hpp"
#include "typed_order.hpp"

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

/// Returns the order of a question, without clusters, over a grid of tiles or of clusters.
inline table order_of_grid(const question& q, extent grid) {
  require_drawn(1LL * grid.rows * grid.cols);
  const bool is_turned = q.is("transposed", "1");
  const extent inner = is_turned ? grid.transposed() : grid;
  const std::string kind = q.text("order");
  const auto base = [&]() -> table {
    if (kind == "own") return {typed_table(q.text("row"), q.text("col"), inner), inner};
    if (kind == "column_major") return {column_major{inner}, inner};
    if (kind == "morton") return {morton{inner}, inner};
    return with_order(choice_of(q), inner, [&](const auto& order) { return table(order, inner); });
  };
  std::optional<table> made(base());
  if (is_turned) made.emplace(table(transposed{made->order()}, grid));
  if (q.is("reversed", "1")) made.emplace(table(reversed{made->order()}, grid));
  if (q.has("first")) made.emplace(table(rotated{made->order(), q.number("first", 0)}, grid));
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

/// Calls `f` with the order of a question over the tiles of its problem.
template <class F>
void with_order_of(const question& q, const predict::grouped_problem& problem, const F& f) {
  problem.check();
  require_drawn(problem.space().size());
  const std::vector<int> ends = problem.ends();
  const group_shape shape = problem.shape();
  std::vector<long long> state(grouped::state_bytes(shape) / 8 + 2);
  const auto sequence =
      q.is("sequence", "heaviest_first") ? group_sequence::heaviest_first : group_sequence::as_numbered;
  const grouped order(shape, state.data(), q.number("width", 8), q.is("axis", "x") ? axis::x : axis::y, sequence);
  f(order.on_host(ends.data()));
}

template <class F>
void with_order_of(const question& q, const predict::batched_problem& problem, const F& f) {
  const batch<extent> space = problem.space();
  require_drawn(space.size());
  const extent cluster = cluster_of(q), grid = space.plane();
  const int interleave = q.number("interleave", 1);
  const table plane = order_of_grid(q, ceil_div(grid, cluster));
  const auto entries =
      cluster.size() == 1
          ? make_tile_table(batched{plane.order(), space.count(), interleave})
          : tiles_of_clusters(batched{clustered{plane.order(), cluster, grid}, space.count(), interleave}, space);
  f(space_table{space, entries.data()});
}

template <class Problem, class F>
void with_order_of(const question& q, const Problem& problem, const F& f) {
  const extent grid = problem.grid(), cluster = cluster_of(q);
  require_drawn(1LL * grid.rows * grid.cols);
  const table made = order_of_grid(q, ceil_div(grid, cluster));
  if (cluster.size() == 1) return f(made.order());
  const table tiles(tiles_of_clusters(clustered{made.order(), cluster, grid}, grid), grid);
  f(tiles.order());
}

}  // namespace explorer

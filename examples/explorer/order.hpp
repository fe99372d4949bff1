#pragma once

#include <heddle/order.hpp>

#include <utility>
#include <vector>

#include "asked_order.hpp"

namespace explorer {

constexpr int most_drawn = 1 << 20;  // tiles that the page draws and replays

inline void require_drawn(long long tiles) {
  if (tiles > most_drawn) throw invalid_argument("tiles to draw and to replay here", tiles, "at most", most_drawn);
}

/// Returns the table of the order of a question without its clusters, over a grid of tiles or of clusters.
inline tile_table::entries table_of(const asked_order& asked, extent grid) {
  if (asked.by.order != recipe::own) return make_tile_table(asked.by, grid);
  const auto own = typed_table(*asked.row, *asked.col, asked.by.transposed ? grid.transposed() : grid);
  return make_tile_table(asked.by, grid, own.data());
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
  const grouped order(shape, state.data(), asked.by.width, asked.by.axis, asked.by.sequence);
  f(order.on_host(ends.data()));
}

template <class F>
void with_tiles(const asked_order& asked, const predict::batched_problem& problem, const F& f) {
  const batch<extent> space = problem.space();
  require_drawn(space.size());
  const extent grid = space.plane();
  const recipe& by = asked.by;
  const extent places = ceil_div(grid, by.cluster);
  const tile_table::entries of_plane = table_of(asked, places);
  const any_order plane{places, of_plane.data()};
  const auto entries =
      asked.is_clustered()
          ? tiles_of_clusters(clustered{batched{plane, space.count(), by.interleave}, by.cluster, space}, space)
          : make_tile_table(batched{plane, space.count(), by.interleave});
  f(any_order{space, entries.data()});
}

template <class F>
void with_tiles(asked_order asked, const predict::pairs_problem& problem, const F& f) {
  const triangle space = problem.space();
  require_drawn(space.size());
  const bool is_reversed = std::exchange(asked.by.reversed, false);
  const int first = std::exchange(asked.by.first, 0);
  const tile_table::entries of_folded = table_of(asked, space.folded());
  const triangular tiles{any_order{space.folded(), of_folded.data()}, space};
  const auto entries =
      is_reversed ? make_tile_table(rotated{reversed{tiles}, first}) : make_tile_table(rotated{tiles, first});
  f(any_order{space, entries.data()});
}

template <class Problem, class F>
void with_tiles(const asked_order& asked, const Problem& problem, const F& f) {
  const extent grid = problem.grid();
  require_drawn(grid.size());
  const extent places = ceil_div(grid, asked.by.cluster);
  const tile_table::entries entries = table_of(asked, places);
  const any_order order{places, entries.data()};
  if (!asked.is_clustered()) return f(order);
  const tile_table::entries tiles = tiles_of_clusters(clustered{order, asked.by.cluster, grid}, grid);
  f(any_order{grid, tiles.data()});
}

/// Calls `f` with the problem of a question, its card, the blocks per multiprocessor, the order and the recipe. A
/// question is refused for any of its fields before it is refused for its tiles.
template <class F>
void with_launch(const question& q, const F& f) {
  with_problem(q, [&](const auto& problem) {
    problem.check();
    const predict::device chip = device_of(q);
    chip.check();
    const int blocks = blocks_of(q);
    const asked_order asked = order_of(q, problem);
    with_tiles(asked, problem, [&](const auto& order) { f(problem, chip, blocks, order, asked.by); });
  });
}

}  // namespace explorer

#pragma once

#include <vector>

#include <heddle/predict/makespan.hpp>

#include "problem.hpp"

namespace overlap {

/// What a prediction rests on. Rates of copies are of one direction.
struct conditions {
  double product_seconds;  // of the product alone, all rows being here
  heddle::extent tile;     // elements of C that a worker makes at a time
  int workers;
  double bytes_per_second, seconds_of_copy;  // from a GPU to one other; and for each copy besides
};

/// Predicts when tiles are made, in this order, of which each takes so long. Those of rows [i * rows_of_piece, …) wait
/// until `arrival_of(i)`.
template <class Order, class Arrival>
double predicted_end(const Order& order, const conditions& on, double of_tile, int rows, int rows_of_piece,
                     const Arrival& arrival_of) {
  const auto arrival = [&](heddle::coord tile) {
    double last = 0;
    const int end = (std::min)((tile.row + 1) * on.tile.rows, rows);
    for (int row = tile.row * on.tile.rows; row < end; row = (row / rows_of_piece + 1) * rows_of_piece) {
      last = (std::max)(last, arrival_of(row / rows_of_piece));
    }
    return last;
  };
  return heddle::predict::makespan(order, [&](heddle::coord) { return of_tile; }, arrival, {on.workers},
                                   {.schedule = heddle::recipe::strided})
      .end;
}

/// Predicts how long a turn takes on a rank. Each rank sends its shard to the others one after the other, piece by
/// piece.
inline double predicted_seconds(const problem& p, const conditions& on, int rank) {
  const auto order = order_of(p, on.tile, rank);
  const int waves = (order.size() - 1) / on.workers + 1;
  const double of_piece =
      static_cast<double>(p.bytes_of_shard()) / p.pieces_of_shard / on.bytes_per_second + on.seconds_of_copy;
  return predicted_end(order, on, on.product_seconds / waves, p.m, p.m / p.pieces(), [&](int piece) {
    const int sender = piece / p.pieces_of_shard;
    const int shards_before = (sender - rank + p.ranks) % p.ranks - 1;  // that the sender sends to others
    return sender == rank ? 0.0 : of_piece * (shards_before * p.pieces_of_shard + piece % p.pieces_of_shard + 1);
  });
}

/// Predicts how long a turn takes whose sums are scattered: a launch for each shard, of which all but the first end
/// when the sums of the launch before have come from another rank, piece by piece.
inline double predicted_seconds_of_sums(const problem& p, const conditions& on) {
  constexpr double seconds_until_sent = 17e-6;  // H200s: from the end of a launch to the copies that wait for it
  const int rows_of_piece = p.rows_of_shard() / p.pieces_of_shard;
  const auto order = order_of_sums(p, on.tile);
  const int waves = (order.size() - 1) / on.workers + 1;
  const double of_tile = on.product_seconds / p.ranks / waves;
  const double of_piece = 2.0 * rows_of_piece * p.n / on.bytes_per_second + on.seconds_of_copy;
  const double of_later = predicted_end(order, on, of_tile, p.rows_of_shard(), rows_of_piece, [&](int piece) {
    return (std::max)(0.0, seconds_until_sent + of_piece * (piece + 1) - of_tile);
  });
  return of_tile * waves + of_later * (p.ranks - 1);
}

/// Returns in how many pieces ranks send, at most as many as the problem has: the fewest for which
/// `seconds_of(problem)` is at most 1 % longer than the best.
template <class Seconds>
int best_pieces(problem p, const Seconds& seconds_of) {
  std::vector<double> seconds;
  const int most = p.pieces_of_shard;
  for (p.pieces_of_shard = 1; p.pieces_of_shard <= most; p.pieces_of_shard *= 2) seconds.push_back(seconds_of(p));
  const double enough = 1.01 * *std::min_element(seconds.begin(), seconds.end());
  const auto fewest = std::find_if(seconds.begin(), seconds.end(), [&](double its) { return its <= enough; });
  return 1 << (fewest - seconds.begin());
}

}  // namespace overlap

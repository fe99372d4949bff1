#pragma once

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

/// Predicts how long a turn takes on a rank. Each rank sends its shard to the others one after the other, piece by
/// piece.
inline double predicted_seconds(const problem& p, const conditions& on, int rank) {
  const auto order = order_of(p, on.tile, rank);
  const int waves = (order.size() - 1) / on.workers + 1, rows_of_piece = p.m / p.pieces();
  const double of_tile = on.product_seconds / waves;
  const double of_piece =
      static_cast<double>(p.bytes_of_shard()) / p.pieces_of_shard / on.bytes_per_second + on.seconds_of_copy;
  const auto arrival_of_row = [&](int row) {
    const int piece = row / rows_of_piece, sender = piece / p.pieces_of_shard;
    const int shards_before = (sender - rank + p.ranks) % p.ranks - 1;  // that the sender sends to others
    return sender == rank ? 0.0 : of_piece * (shards_before * p.pieces_of_shard + piece % p.pieces_of_shard + 1);
  };
  const auto arrival = [&](heddle::coord tile) {
    double last = 0;
    const int end = (std::min)((tile.row + 1) * on.tile.rows, p.m);
    for (int row = tile.row * on.tile.rows; row < end; row = (row / rows_of_piece + 1) * rows_of_piece) {
      last = (std::max)(last, arrival_of_row(row));
    }
    return last;
  };
  return heddle::predict::makespan(order, [&](heddle::coord) { return of_tile; }, arrival, {on.workers},
                                   {.schedule = heddle::recipe::strided})
      .end;
}

/// Returns in how many pieces a rank sends, at most as many as the problem has: the fewest that are predicted to take
/// at most 1 % longer than the best.
inline int best_pieces(problem p, const conditions& on, int rank) {
  const auto seconds_in = [&](int pieces) {
    p.pieces_of_shard = pieces;
    return predicted_seconds(p, on, rank);
  };
  const int most = p.pieces_of_shard;
  double least = seconds_in(most);
  for (int pieces = 1; pieces < most; pieces *= 2) least = (std::min)(least, seconds_in(pieces));
  int fewest = 1;
  while (seconds_in(fewest) > 1.01 * least) fewest *= 2;
  return fewest;
}

}  // namespace overlap

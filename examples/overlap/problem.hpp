#pragma once

#include <algorithm>
#include <cstddef>

#include <heddle/coord.hpp>
#include <heddle/order/rotated.hpp>
#include <heddle/order/thread_group_tiling.hpp>

namespace overlap {

/// A product of bf16 matrices: A is m x k, row by row; B is k x n, column by column; C is m x n, row by row. Each of
/// the ranks has m / ranks rows, its shard, in the order of the ranks: of A, or of C where sums are scattered.
struct problem {
  int m, n, k;
  int ranks = 1;
  int pieces_of_shard = 0;  // each with a flag of its own; 0: to be chosen

  int rows_of_shard() const { return m / ranks; }
  int pieces() const { return ranks * pieces_of_shard; }
  std::size_t bytes_of_shard() const {
    return std::size_t{2} * static_cast<unsigned>(rows_of_shard()) * static_cast<unsigned>(k);
  }
};

/// The most bytes of a shard that a kernel stores at the other GPUs.
inline constexpr std::size_t most_stored = 2 << 20;

/// Returns how many pieces a rank may send: 8 or fewer, whose flags a gate has, or one that is stored.
inline int most_pieces(const problem& p) {
  if (p.bytes_of_shard() <= most_stored) return 1;
  int pieces = 8;
  while (p.rows_of_shard() % pieces != 0 || p.ranks * (pieces + 1) > 64) pieces /= 2;
  return (std::max)(pieces, 1);
}

/// Returns the rows of a band of 8 or fewer that ends where `rows` do, if these are whole tiles.
inline int rows_of_band(int rows, int rows_of_tile) {
  if (rows % rows_of_tile != 0) return 8;
  const int tiles = rows / rows_of_tile;
  int width = (std::min)(8, tiles);
  while (tiles % width != 0) --width;
  return width;
}

/// Bands of rows of tiles, all from left to right: where ranks make the same columns at different times, none waits for
/// the end of a band at the beginning of its own.
using bands = heddle::rotated<heddle::thread_group_tiling>;

/// Returns the order in which a rank makes its tiles, given as elements of C: it begins with its own rows. A band does
/// not reach over the end of a shard, if shards are whole tiles.
inline bands order_of(const problem& p, heddle::extent tile, int rank) {
  const heddle::thread_group_tiling all{heddle::ceil_div(p.m, p.n, tile), rows_of_band(p.rows_of_shard(), tile.rows),
                                        heddle::axis::y};
  return {all, all.index({rank * p.rows_of_shard() / tile.rows, 0})};
}

/// Returns the order in which a rank makes the tiles of all shards of C, whose rows are counted from the next rank's
/// on: so its own are the last. A shard begins with a tile of its own, and no band has rows of its own and of others.
inline bands order_of_sums(const problem& p, heddle::extent tile) {
  const int of_shard = (p.rows_of_shard() - 1) / tile.rows + 1, of_others = (std::max)(p.ranks - 1, 1) * of_shard;
  const heddle::extent tiles{p.ranks * of_shard, (p.n - 1) / tile.cols + 1};
  return {heddle::thread_group_tiling{tiles, rows_of_band(of_others, 1), heddle::axis::y}, 0};
}

}  // namespace overlap

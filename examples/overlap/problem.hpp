#pragma once

#include <algorithm>
#include <cstddef>

#include <heddle/coord.hpp>
#include <heddle/order/cta_swizzle.hpp>
#include <heddle/order/rotated.hpp>

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

/// Returns the order in which a rank makes its tiles, given as elements of C: it begins with its own rows. A band does
/// not reach over the end of a shard, if shards are whole tiles.
inline heddle::rotated<heddle::cta_swizzle> order_of(const problem& p, heddle::extent tile, int rank) {
  const heddle::cta_swizzle bands{heddle::ceil_div(p.m, p.n, tile), rows_of_band(p.rows_of_shard(), tile.rows),
                                  heddle::axis::y};
  const int first_row = rank * p.rows_of_shard() / tile.rows, last_col = bands.space().cols - 1;
  return {bands,
          (std::min)(bands.index({first_row, 0}), bands.index({first_row, last_col}))};  // every other band is mirrored
}

/// Returns the order in which a rank makes the tiles of all shards of C: from that of the next rank on, and its own at
/// the end. Each shard begins with a tile of its own.
inline heddle::rotated<heddle::cta_swizzle> order_of_sums(problem p, heddle::extent tile, int rank) {
  p.m = p.ranks * tile.rows * ((p.rows_of_shard() - 1) / tile.rows + 1);
  return order_of(p, tile, (rank + 1) % p.ranks);
}

}  // namespace overlap

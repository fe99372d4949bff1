#pragma once

#include <algorithm>
#include <cstddef>

#include <heddle/order/batch.hpp>
#include <heddle/order/groups.hpp>
#include <heddle/predict/detail/product_replay.hpp>

// Which stripes a tile of a product reads. All are templates, so that the headers of the problems can include this one.

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns a stripe of an operand that has `size` rows or columns, cut into stripes of `tile`. Stripes of other
/// operands have the numbers up to `before`.
constexpr stripe stripe_at(int place, int size, int tile, long long before = 0) {
  return {before + place, (std::min)(tile, size - place * tile)};
}

/// The stripes of one product.
template <class Problem>
struct gemm_stripes {
  using tile = coord;

  explicit gemm_stripes(const Problem& problem) : of(problem), a(problem.grid().rows), b(problem.grid().cols) {}

  two_stripes operator()(coord at) const {
    return {stripe_at(at.row, of.m, of.tile_m), stripe_at(at.col, of.n, of.tile_n)};
  }

  Problem of;
  long long a, b;
};

/// The stripes of a batch of products.
template <class Problem>
struct batched_stripes {
  using tile = batch_coord;

  explicit batched_stripes(const Problem& problem)
      : of(problem),
        grid(problem.plane.grid()),
        a(problem.different_a() * grid.rows),
        b(problem.different_b() * grid.cols) {}

  two_stripes operator()(batch_coord at) const {
    return {stripe_at(at.row, of.plane.m, of.plane.tile_m, 1LL * (at.batch / of.planes_per_a) * grid.rows),
            stripe_at(at.col, of.plane.n, of.plane.tile_n, 1LL * (at.batch / of.planes_per_b) * grid.cols)};
  }

  Problem of;
  extent grid;
  long long a, b;
};

/// The stripes of a grouped product.
template <class Problem>
struct grouped_stripes {
  using tile = group_coord;

  explicit grouped_stripes(const Problem& problem)
      : of(problem),
        tiles(problem.space()),
        cols(static_cast<int>(problem.shape().cols)),
        a(tiles.first(static_cast<int>(problem.rows.size()))),
        b(1LL * cols * static_cast<long long>(problem.rows.size())) {}

  two_stripes operator()(group_coord at) const {
    const int rows = of.rows[static_cast<std::size_t>(at.group)];
    return {stripe_at(at.row, rows, of.tile_m, tiles.first(at.group)),
            stripe_at(at.col, of.n, of.tile_n, 1LL * at.group * cols)};
  }

  Problem of;
  decltype(of.space()) tiles;
  int cols;
  long long a, b;
};

}  // namespace heddle::inline HEDDLE_ABI::detail

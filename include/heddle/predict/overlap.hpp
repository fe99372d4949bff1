#pragma once

#include <algorithm>

#include <heddle/predict/detail/tap_cells.hpp>
#include <heddle/predict/gemm_problem.hpp>
#include <heddle/predict/stencil_problem.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// How much of what a tile reads another one, `distance` tiles along `axis` from it, reads too.
struct overlap {
  double share = 0;
  int distance = 1;
  heddle::axis axis = heddle::axis::x;
};

/// The larger: tiles of a row share a stripe of A, tiles of a column one of B.
constexpr overlap closest_overlap(const gemm_problem& problem) {
  const double a = problem.grid().cols > 1 ? problem.tile_m : 0, b = problem.grid().rows > 1 ? problem.tile_n : 0;
  const double both = 1.0 * problem.tile_m + problem.tile_n;
  return a >= b ? overlap{a / both, 1, axis::x} : overlap{b / both, 1, axis::y};
}

/// The largest with a tile beside it, or one step away: an à-trous pass shares nothing with the former.
inline overlap closest_overlap(const stencil_problem& problem) {
  overlap best;
  const auto look = [&](axis axis, int pixels, int tile, int radius, int tiles) {
    if (tiles == 0) return;
    const detail::tap_cells cells(pixels, tile, radius, problem.step);
    for (const long long distance : {1LL, 1LL * problem.step / tile, (problem.step + (tile - 1LL)) / tile}) {
      const int here = static_cast<int>((std::max)(0LL, (tiles - distance) / 2));
      if (distance < 1 || here + distance >= tiles) continue;
      const int there = here + static_cast<int>(distance);
      const double share = 1.0 * cells.pixels_shared(here, there) / cells.pixels_touched(here);
      if (share > best.share) best = {share, static_cast<int>(distance), axis};
    }
  };
  const extent grid = problem.grid();
  look(axis::x, problem.cols, problem.tile_cols, problem.cols_radius, grid.size() > 0 ? grid.cols : 0);
  look(axis::y, problem.rows, problem.tile_rows, problem.rows_radius, grid.size() > 0 ? grid.rows : 0);
  return best;
}

}  // namespace heddle::inline HEDDLE_ABI::predict

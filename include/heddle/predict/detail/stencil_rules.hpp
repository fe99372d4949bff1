#pragma once

#include <algorithm>
#include <vector>

#include <heddle/predict/advice_rules.hpp>
#include <heddle/predict/detail/tap_cells.hpp>
#include <heddle/predict/overlap.hpp>

// What was measured of a `stencil_problem`. All are templates, so that the header of `stencil_problem` can include this
// one.

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns the largest overlap of a tile in the middle with one beside it or a step away.
template <class Problem>
predict::overlap overlap_of_taps(const Problem& problem) {
  predict::overlap best;
  const auto look = [&](axis axis, int pixels, int tile, int radius, int tiles) {
    if (tiles == 0) return;
    const auto taps_of = [&](int at) { return taps_of_tile(pixels, tile, radius, problem.step, at); };
    for (const long long distance : {1LL, 1LL * problem.step / tile, (problem.step + (tile - 1LL)) / tile}) {
      const int here = static_cast<int>((std::max)(0LL, (tiles - distance) / 2));
      if (distance < 1 || here + distance >= tiles) continue;
      const int there = here + static_cast<int>(distance);
      const auto of_one = taps_of(here), of_other = taps_of(there);
      const double share =
          static_cast<double>(pixels_of_both(of_one, of_other)) / static_cast<double>(pixels_of_both(of_one, of_one));
      if (share > best.share) best = {share, static_cast<int>(distance), axis};
    }
  };
  const extent grid = problem.grid();
  look(axis::x, problem.cols, problem.tile_cols, problem.cols_radius, grid.size() > 0 ? grid.cols : 0);
  look(axis::y, problem.rows, problem.tile_rows, problem.rows_radius, grid.size() > 0 ? grid.rows : 0);
  return best;
}

/// Returns residue classes of tiles a step apart; nothing if a step is no whole number of tiles.
template <class Problem>
std::vector<predict::order_choice> dilated_to_try(const Problem& problem) {
  const int rows = problem.rows_radius > 0 ? problem.step : problem.tile_rows;
  const int cols = problem.cols_radius > 0 ? problem.step : problem.tile_cols;
  if (rows % problem.tile_rows != 0 || cols % problem.tile_cols != 0) return {};
  // A step beyond the grid puts every tile in a class of its own, and so does a step of the grid's size.
  const extent grid = problem.grid();
  const extent step{(std::min)(rows / problem.tile_rows, (std::max)(1, grid.rows)),
                    (std::min)(cols / problem.tile_cols, (std::max)(1, grid.cols))};
  if (step == extent{1, 1}) return {};
  std::vector<predict::order_choice> choices;
  for (const int width : {64, 16, 4}) choices.push_back({predict::order_kind::dilated, width, axis::x, step});
  return choices;
}

/// Returns the rules of a full-screen pass. H200: bands save 14 % of the bytes of a dense denoiser level and take 1.3 %
/// longer; at twice the step they save a quarter and are 1 % faster. Of bands that read about as much, wider ones are
/// faster: 64 tiles by 1 to 4 % over 4 to 32 tiles.
template <class Problem>
predict::advice_rules rules_of_stencil(const Problem& problem) {
  return {.least_gain = 0.15,
          .bytes_that_count = 1 + problem.compulsory_bytes() / 25,
          .orders_to_try = dilated_to_try(problem)};
}

}  // namespace heddle::inline HEDDLE_ABI::detail

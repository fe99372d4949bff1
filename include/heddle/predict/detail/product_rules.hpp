#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include <heddle/predict/device.hpp>
#include <heddle/predict/problem.hpp>
#include <heddle/recipe/recipe.hpp>

// What was measured of products.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Returns how many times as long as the matrix unit a step takes since it waits for its requests: one per row and
/// column, or two if rows do not begin at a line, each for 64 elements of k (of 2 bytes). 0: the card's figure is
/// unknown. A kernel at a rate of its own takes its time over arithmetic.
template <class Problem>
double wait_of_step(const Problem& problem, const predict::device& device) {
  const double rate = problem.matrix_operations_per_second(), of_card = device.matrix_operations_per_second;
  const double slower = rate > 0 && of_card > 0 ? of_card / rate : 1;
  const double operations = 2.0 * 64 * problem.tile_m * problem.tile_n * slower;
  const double requests = (problem.whole_lines ? 1 : 2) * (1.0 * problem.tile_m + problem.tile_n);
  const double per_line = device.matrix_operations_per_line;
  return per_line > 0 ? (std::max)(1.0, per_line * requests / operations) : 0;
}

/// Returns whether no step waits for its requests because rows do not begin at a line. On a card of which this is
/// unknown, such steps wait.
template <class Problem>
bool keeps_step(const Problem& problem, const predict::device& device) {
  return problem.whole_lines || wait_of_step(problem, device) == 1;
}

/// Returns the tiles across a band that has the device's `band_rows` rows, or columns, of C. H200, 12 products in 5
/// kernels: as the only order bands of 1024 rows are 0.6 % slower than the best of the sweep on average and 5 % at
/// worst; the order with the fewest bytes is 1.3 % and 16 % slower (docs/inside/gemm_study.md).
///
/// Bands of clusters are twice as wide, across the shorter side of a tile. 5 products in 4 kernels, by the best
/// schedule: those are 0.8 (H200) and 0.7 % (H100) slower than the best of the sweep, 5 % at worst, bands of 1024 rows
/// 0.9 and 2.2 %, and 12 % at worst.
template <class Problem>
int width_of_bands(const Problem& problem, const predict::device& device, int tile) {
  const long long rows = (problem.blocks_per_tile > 1 ? 2LL : 1LL) * device.band_rows;
  return static_cast<int>(std::clamp(rows / tile, 1LL, 0x7fffffffLL));
}

/// Returns bands of so many tiles, or bands of no width if row_major is such a band on its side.
///
/// A last band of a row or two reads all of B once more. It is shared out among the other bands, which makes 4104 x
/// 16392 x 5128 1 to 2 % faster. Under `strided` bands of 8 stay faster, so the rows are not shared out.
template <class Problem>
recipe usual_bands(const Problem& problem, const predict::device& device, recipe::schedule_kind schedule) {
  const extent grid = problem.grid();
  const bool is_along_x = problem.blocks_per_tile > 1 && problem.tile_n <= problem.tile_m;
  const auto [tiles, tile] = is_along_x ? std::pair{grid.cols, problem.tile_n} : std::pair{grid.rows, problem.tile_m};
  const long long length = is_along_x ? 1LL * grid.rows * problem.tile_m : 1LL * grid.cols * problem.tile_n;
  recipe bands{recipe::cta_swizzle, width_of_bands(problem, device, tile), is_along_x ? axis::x : axis::y};
  if (tiles <= 1 || length <= 1LL * bands.width * tile || (is_along_x && tiles <= bands.width)) {
    bands.width = 0;
  } else if (schedule == recipe::one_shot && tiles > bands.width) {
    const int all = tiles_along(tiles, bands.width);
    const auto even = static_cast<int>((2LL * tiles + bands.width) / (2LL * bands.width));
    // Each band reads all of B: one band less must be a tenth of what is read.
    if (even < all && 10.0 * problem.n >= problem.m + 1.0 * problem.n * all) bands.width = tiles_along(tiles, even);
  }
  return bands;
}

/// Returns the factor of measured over modelled time of these bands; its reason is not known. Medians of 5 products in
/// 7 kernels (bench_gemm_study): H200, 0.97 in 11 of them, 0.95 in 24 that do not keep step; H100, to which nothing was
/// fitted, 1.01 and 0.97. With factors from 0.95 to 0.98 all but one of the same launches are advised.
template <class Problem>
std::function<double(const recipe&)> measured_of_bands(const recipe& bands, const Problem& problem,
                                                       const predict::device& device) {
  return [bands, factor = keeps_step(problem, device) ? 0.98 : 0.95](recipe by) {
    by.sequence = bands.sequence;
    return by.order_alone() == bands ? factor : 1.0;
  };
}

}}}  // namespace heddle::HEDDLE_ABI::detail

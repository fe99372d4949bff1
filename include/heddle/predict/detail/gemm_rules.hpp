#pragma once

#include <algorithm>
#include <vector>

#include <heddle/predict/advice_rules.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Whether the matrix unit is what a step waits for. H200, in 2-byte elements: 4 clocks for two requests of 128 bytes,
/// and in the same 64 elements of k 32 products of a row by a column each clock.
template <class Problem>
constexpr bool keeps_step(const Problem& problem) {
  const long long rows_and_columns = 1LL * problem.tile_m + problem.tile_n;
  return problem.whole_lines || 1LL * problem.tile_m * problem.tile_n >= 4 * 32 * rows_and_columns;
}

/// Bands of 1024 rows of C. H200, 12 products in 5 kernels: as the only order they are 0.6 % slower than the best of
/// the sweep on average, and 5 % at worst; the one with the fewest bytes, 1.3 % and 16 % (docs/gemm_study.md).
///
/// Where that leaves a last band of a row or two, which reads all of B once more, the bands share them: 4104 x 16392
/// x 5128 is 1 to 2 % faster then. Static blocks keep their places and want bands of 8 all the same.
template <class Problem>
std::vector<predict::order_choice> bands_of_1024_rows(const Problem& problem, predict::schedule_kind schedule) {
  constexpr int usual_rows = 1024;
  const auto bands_of = [](int width) {
    return predict::order_choice{predict::order_kind::cta_swizzle, width, axis::y};
  };
  if (1LL * problem.grid().cols * problem.tile_n <= usual_rows) return {};  // row_major is such a band, lying down
  const int rows = problem.grid().rows, width = (std::max)(1, usual_rows / problem.tile_m);
  if (schedule != predict::schedule_kind::one_shot || rows <= width) return {bands_of(width)};
  const int bands = static_cast<int>((2LL * rows + width) / (2 * width)), even = (rows - 1) / bands + 1;
  if (even == width) return {bands_of(width)};
  return {bands_of(width), bands_of(even)};
}

/// The blocks of a multiprocessor do not go in step: an H200's counters agree with waves of one block per
/// multiprocessor, and not with waves of two (docs/gemm_study.md).
template <class Problem>
predict::advice_rules rules_of_gemm(const Problem& problem, int blocks_per_multiprocessor) {
  const bool in_step = blocks_per_multiprocessor == 1 && keeps_step(problem);
  const auto schedule = in_step ? predict::schedule_kind::strided : predict::schedule_kind::one_shot;
  return {.blocks_go_in_step = false,
          .least_gain = 0.03,
          .usual_orders = bands_of_1024_rows(problem, schedule),
          .beyond_one_wave = schedule};
}

}  // namespace heddle::inline HEDDLE_ABI::detail

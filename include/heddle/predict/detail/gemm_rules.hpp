#pragma once

#include <algorithm>
#include <vector>

#include <heddle/predict/advice_rules.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns whether a step waits for the matrix unit, and not for its requests. H200, 2-byte elements: two requests of
/// 128 bytes take 4 clocks; over the same 64 elements of k, the unit multiplies 32 pairs of a row and a column per
/// clock.
template <class Problem>
constexpr bool keeps_step(const Problem& problem) {
  const long long rows_and_columns = 1LL * problem.tile_m + problem.tile_n;
  return problem.whole_lines || 1LL * problem.tile_m * problem.tile_n >= 4 * 32 * rows_and_columns;
}

/// The rows of C in the bands that were the fastest most often.
constexpr int usual_rows = 1024;

/// Returns bands of 1024 rows of C. H200, 12 products in 5 kernels: as the only order they are 0.6 % slower than the
/// best of the sweep on average and 5 % at worst; the order with the fewest bytes is 1.3 % and 16 % slower
/// (docs/gemm_study.md).
///
/// A last band of a row or two reads all of B once more. It is shared out among the other bands, which makes 4104 x
/// 16392 x 5128 1 to 2 % faster. Under `strided` bands of 8 stay faster, so the rows are not shared out.
template <class Problem>
std::vector<predict::order_choice> bands_of_1024_rows(const Problem& problem, predict::schedule_kind schedule) {
  const auto bands_of = [](int width) {
    return predict::order_choice{predict::order_kind::cta_swizzle, width, axis::y};
  };
  if (1LL * problem.grid().cols * problem.tile_n <= usual_rows) return {};  // row_major is such a band on its side
  const int rows = problem.grid().rows, width = (std::max)(1, usual_rows / problem.tile_m);
  if (schedule != predict::schedule_kind::one_shot || rows <= width) return {bands_of(width)};
  const int bands = static_cast<int>((2LL * rows + width) / (2 * width)), even = (rows - 1) / bands + 1;
  if (even == width) return {bands_of(width)};
  return {bands_of(width), bands_of(even)};
}

/// Returns the rules of a product. The blocks of a multiprocessor do not go in step: the counters of an H200 agree with
/// waves of one block per multiprocessor, and not with waves of two (docs/gemm_study.md).
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

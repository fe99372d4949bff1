#pragma once

#include <algorithm>
#include <vector>

#include <heddle/predict/advice_rules.hpp>
#include <heddle/predict/detail/at_rate.hpp>
#include <heddle/predict/device.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns whether a step waits for the matrix unit, and not for its requests: two per row and column if rows do not
/// begin at a line, each for 64 elements of k (of 2 bytes). On a card of which this is unknown, such a step waits for
/// its requests.
template <class Problem>
constexpr bool keeps_step(const Problem& problem, const predict::device& device) {
  const double operations = 2.0 * 64 * problem.tile_m * problem.tile_n;
  const double requests = 2 * (1.0 * problem.tile_m + problem.tile_n), per_line = device.matrix_operations_per_line;
  return problem.whole_lines || (per_line > 0 && operations >= per_line * requests);
}

/// Returns bands of the device's `band_rows` rows of C. H200, 12 products in 5 kernels: as the only order bands of 1024
/// rows are 0.6 % slower than the best of the sweep on average and 5 % at worst; the order with the fewest bytes is
/// 1.3 % and 16 % slower (docs/gemm_study.md).
///
/// A last band of a row or two reads all of B once more. It is shared out among the other bands, which makes 4104 x
/// 16392 x 5128 1 to 2 % faster. Under `strided` bands of 8 stay faster, so the rows are not shared out.
template <class Problem>
std::vector<predict::order_choice> usual_bands(const Problem& problem, const predict::device& device,
                                               predict::schedule_kind schedule) {
  const int usual_rows = device.band_rows;
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
predict::advice_rules rules_of_gemm(const Problem& problem, const predict::device& device,
                                    int blocks_per_multiprocessor) {
  const double rate = problem.matrix_operations_per_second();
  const bool in_step = blocks_per_multiprocessor == 1 && keeps_step(problem, at_rate(rate, device));
  const auto schedule = in_step ? predict::schedule_kind::strided : predict::schedule_kind::one_shot;
  return {.blocks_go_in_step = false,
          .least_gain = 0.03,
          .usual_orders = usual_bands(problem, device, schedule),
          .beyond_one_wave = schedule,
          .matrix_operations_per_second = rate};
}

}  // namespace heddle::inline HEDDLE_ABI::detail

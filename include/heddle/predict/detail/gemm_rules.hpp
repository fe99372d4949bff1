#pragma once

#include <algorithm>
#include <vector>

#include <heddle/predict/advice_rules.hpp>
#include <heddle/predict/detail/device_members.hpp>
#include <heddle/predict/detail/orders_over.hpp>
#include <heddle/predict/device.hpp>

// What was measured of matrix products. All are templates, so that the headers of the problems can include this one.

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns whether a step waits for the matrix unit, and not for its requests: two per row and column if rows do not
/// begin at a line, each for 64 elements of k (of 2 bytes). On a card of which this is unknown, such a step waits for
/// its requests. A kernel at a rate of its own takes its time over arithmetic.
template <class Problem>
constexpr bool keeps_step(const Problem& problem, const predict::device& device) {
  const double rate = problem.matrix_operations_per_second(), of_card = device.matrix_operations_per_second;
  const double slower = rate > 0 && of_card > 0 ? of_card / rate : 1;
  const double operations = 2.0 * 64 * problem.tile_m * problem.tile_n * slower;
  const double requests = 2 * (1.0 * problem.tile_m + problem.tile_n), per_line = device.matrix_operations_per_line;
  return problem.whole_lines || (per_line > 0 && operations >= per_line * requests);
}

/// Returns the width of bands of the device's `band_rows` rows of C, or 0 if row_major is such a band on its side.
/// H200, 12 products in 5 kernels: as the only order bands of 1024 rows are 0.6 % slower than the best of the sweep on
/// average and 5 % at worst; the order with the fewest bytes is 1.3 % and 16 % slower (docs/gemm_study.md).
///
/// A last band of a row or two reads all of B once more. It is shared out among the other bands, which makes 4104 x
/// 16392 x 5128 1 to 2 % faster. Under `strided` bands of 8 stay faster, so the rows are not shared out.
template <class Problem>
int width_of_bands(const Problem& problem, const predict::device& device, predict::schedule_kind schedule) {
  const extent grid = problem.grid();
  if (1LL * grid.cols * problem.tile_n <= device.band_rows) return 0;
  const int width = (std::max)(1, device.band_rows / problem.tile_m);
  if (schedule != predict::schedule_kind::one_shot || grid.rows <= width) return width;
  const int all = tiles_along(grid.rows, width), even = static_cast<int>((2LL * grid.rows + width) / (2 * width));
  // Each band reads all of B: one band less must be a tenth of what is read.
  return even < all && 10.0 * problem.n >= problem.m + 1.0 * problem.n * all ? tiles_along(grid.rows, even) : width;
}

/// Returns the rules of a product. The blocks of a multiprocessor do not go in step: the counters of an H200 agree with
/// waves of one block per multiprocessor, and not with waves of two (docs/gemm_study.md).
template <class Problem>
predict::advice_rules rules_of_gemm(const Problem& problem, const predict::device& device,
                                    int blocks_per_multiprocessor) {
  const bool in_step = blocks_per_multiprocessor == 1 && keeps_step(problem, device);
  predict::advice_rules rules{
      .blocks_go_in_step = false,
      .beyond_one_wave = in_step ? predict::schedule_kind::strided : predict::schedule_kind::one_shot,
      .matrix_operations_per_second = problem.matrix_operations_per_second()};
  const int width = width_of_bands(problem, device, rules.beyond_one_wave);
  if (width == 0) return rules;
  rules.plain_is_last = true;
  rules.measured_faster = 1;
  rules.bytes_that_count = 0;
  rules.launches = orders_over<extent>::usual(problem.grid());
  rules.launches.insert(rules.launches.begin(), {{predict::order_kind::cta_swizzle, width, axis::y}});
  return rules;
}

}  // namespace heddle::inline HEDDLE_ABI::detail

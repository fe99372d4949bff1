#pragma once

#include <algorithm>

#include <heddle/predict/advice.hpp>
#include <heddle/predict/detail/explain.hpp>
#include <heddle/predict/detail/search.hpp>
#include <heddle/predict/traffic.hpp>

namespace heddle::inline v0::detail {

template <class Problem>
predict::advice advise(const Problem& problem, const predict::device& device, int blocks_per_multiprocessor,
                       predict::schedule_kind beyond_one_wave) {
  problem.check();
  device.check();
  require_at_least(1, "heddle::predict::advise: blocks_per_multiprocessor", blocks_per_multiprocessor);
  const int blocks = require_at_most(0x7fffffff, "heddle::predict::advise: concurrent blocks",
                                     1LL * device.multiprocessors * blocks_per_multiprocessor);
  const auto [row_major, best, best_dram_bytes] = search_orders(problem, blocks, device.l2_bytes);
  const conditions conditions{times_of(problem, device, row_major), row_major.hit_rate(), closest_overlap(problem)};

  predict::advice advice;
  if (problem.grid().size() > blocks) advice.schedule = beyond_one_wave;
  advice.row_major_bytes = row_major.dram_bytes + row_major.written_bytes;
  advice.predicted_bytes = best_dram_bytes + row_major.written_bytes;
  const double gain =
      1 - static_cast<double>(advice.predicted_bytes) / (std::max)(1.0, static_cast<double>(advice.row_major_bytes));
  advice.matters = best_dram_bytes < row_major.dram_bytes && gain >= 0.03;
  advice.dram_is_top_unit = conditions.times.dram_is_top();
  advice.low_hit_rate = conditions.low_hit_rate();
  advice.footprints_overlap = conditions.footprints_overlap();

  if (advice.matters) {
    static_cast<predict::order_choice&>(advice) = best;
    advice.reason = to_string(best) + " moves " + bytes_text(static_cast<double>(advice.predicted_bytes)) +
                    " of DRAM where row_major moves " + bytes_text(static_cast<double>(advice.row_major_bytes));
  } else {
    advice.predicted_bytes = advice.row_major_bytes;
    advice.reason = "order will not matter here: ";
    if (problem.compulsory_bytes() <= device.l2_bytes)
      advice.reason += "everything fits in L2";
    else if (row_major.dram_bytes == problem.compulsory_bytes())
      advice.reason += "row_major already reads every byte once";
    else
      advice.reason += "the best that was found saves under 3 %";
  }
  advice.reason += "; " + to_string(conditions) + ".";
  return advice;
}

}  // namespace heddle::inline v0::detail

namespace heddle::inline v0::predict {

/// Ask once and keep the answer: it replays some forty orders.
///
///   const advice a = advise(gemm_problem{.m = 8192, .n = 8192, .k = 8192}, h200());
///   with_order(a, grid, …)
///
/// The order with the fewest bytes is advised, the simpler one of equals, and row_major where that saves
/// less than 3 %.
///
/// k-steps are merged until at most 64 are left: in 57 random products that never changed the choice,
/// and the bytes by at most 1.6 %.
///
/// The schedule of a product of more than one wave is by ticket: where the source text measured them, at
/// 8192³, static persistence lost to one tile a block, and tickets won 2 to 3 % over it.
inline advice advise(gemm_problem problem, const device& device, int blocks_per_multiprocessor = 1) {
  problem.check();
  problem.tile_k *= (std::max)(1, (problem.k_steps() - 1) / 64 + 1);
  return detail::advise(problem, device, blocks_per_multiprocessor, schedule_kind::ticket);
}

/// 8 blocks of 256 threads fill a multiprocessor. Every wave is replayed: 0.15 s for an à-trous pass
/// over 524,288 tiles, 0.55 s over four times as many.
inline advice advise(const stencil_problem& problem, const device& device, int blocks_per_multiprocessor = 8) {
  return detail::advise(problem, device, blocks_per_multiprocessor, schedule_kind::one_shot);
}

}  // namespace heddle::inline v0::predict

#pragma once

#include <algorithm>
#include <cmath>

#include <heddle/predict/advice.hpp>
#include <heddle/predict/detail/affine.hpp>
#include <heddle/predict/detail/explain.hpp>
#include <heddle/predict/detail/search.hpp>
#include <heddle/predict/traffic.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

constexpr int usual_rows = 1024;

/// What an order must save of the bytes that are moved. H200: of a dense level of a denoiser bands save 14 %, and take
/// 1.3 % longer; at twice the step they save a quarter, and are 1 % faster.
constexpr double worth_it(const predict::gemm_problem&) {
  return 0.03;
}
constexpr double worth_it(const predict::stencil_problem&) {
  return 0.15;
}

struct order_and_traffic {
  predict::order_choice order;
  predict::wave_traffic bytes;
};

/// Bands of so many rows of C. H200, 12 products in 5 kernels: as the only order they are 0.6 % slower than the best of
/// the sweep on average, and 5 % at worst; the one with the fewest bytes, 1.3 % and 16 % (docs/gemm_study.md).
///
/// Where that leaves a last band of a row or two, which reads all of B once more, the bands share them: 4104 x 16392
/// x 5128 is 1 to 2 % faster then. Static blocks keep their places and want bands of 8 all the same.
inline order_and_traffic usual_order(const predict::gemm_problem& problem, const replay_size& chip,
                                     predict::schedule_kind schedule) {
  const auto bands_of = [&](int width) {
    const cta_swizzle order{problem.grid(), width, axis::y};
    return order_and_traffic{{predict::order_kind::cta_swizzle, width, axis::y},
                             predict::traffic(order, problem, chip.concurrent_blocks(), chip.cache_bytes).total};
  };
  const int rows = problem.grid().rows, width = (std::max)(1, usual_rows / problem.tile_m);
  const order_and_traffic usual = bands_of(width);
  if (schedule != predict::schedule_kind::one_shot || rows <= width) return usual;
  const int bands = static_cast<int>((2LL * rows + width) / (2 * width)), even = (rows - 1) / bands + 1;
  if (even == width) return usual;
  const order_and_traffic evened = bands_of(even);
  const long long before = usual.bytes.dram_bytes, twentieth = before / 20 + (before % 20 > 0);
  return before - evened.bytes.dram_bytes >= twentieth ? evened : usual;
}

/// Whether the matrix unit is what a step waits for. H200, in 2-byte elements: 4 clocks for two requests of 128 bytes,
/// and in the same 64 elements of k 32 products of a row by a column each clock.
inline bool keeps_step(const predict::gemm_problem& problem) {
  const long long rows_and_columns = 1LL * problem.tile_m + problem.tile_n;
  return problem.whole_lines || 1LL * problem.tile_m * problem.tile_n >= 4 * 32 * rows_and_columns;
}

template <class Problem>
predict::advice advise(const Problem& problem, const predict::device& device, int blocks_per_multiprocessor,
                       predict::schedule_kind beyond_one_wave) {
  problem.check();
  device.check();
  require_at_least(1, "heddle::predict::advise: blocks_per_multiprocessor", blocks_per_multiprocessor);
  const replay_size chip = replay_size_of(problem, device, blocks_per_multiprocessor);
  auto [row_major, best, best_dram_bytes] = search_orders(problem, chip);
  const conditions conditions{times_of(problem, device, row_major), row_major.hit_rate(), closest_overlap(problem)};
  bool is_usual = false;
  if constexpr (requires { usual_order(problem, chip, beyond_one_wave); }) {
    const bool is_row_major = 1LL * problem.grid().cols * problem.tile_n <= usual_rows;  // such a band, lying down
    if (row_major.dram_bytes > problem.compulsory_bytes() && !is_row_major) {
      const auto [usual, bytes] = usual_order(problem, chip, beyond_one_wave);
      is_usual = times_of(problem, device, bytes).dram_is_half_idle();
      if (is_usual) best = usual, best_dram_bytes = bytes.dram_bytes;
    }
  }

  predict::advice advice;
  if (problem.grid().size() > 1LL * device.multiprocessors * blocks_per_multiprocessor) {
    advice.schedule = beyond_one_wave;
  }
  advice.row_major_bytes = row_major.dram_bytes + row_major.written_bytes;
  advice.predicted_bytes = best_dram_bytes + row_major.written_bytes;
  const double gain =
      1 - static_cast<double>(advice.predicted_bytes) / (std::max)(1.0, static_cast<double>(advice.row_major_bytes));
  const double least = worth_it(problem);
  advice.matters = is_usual ? std::abs(gain) >= least : best_dram_bytes < row_major.dram_bytes && gain >= least;
  advice.dram_is_top_unit = conditions.times.dram_is_top();
  advice.low_hit_rate = conditions.low_hit_rate();
  advice.footprints_overlap = conditions.footprints_overlap();

  if (advice.matters) {
    static_cast<predict::order_choice&>(advice) = best;
    advice.reason = to_string(best) + " moves " + bytes_text(static_cast<double>(advice.predicted_bytes)) +
                    " of DRAM where row_major moves " + bytes_text(static_cast<double>(advice.row_major_bytes)) +
                    (is_usual ? ", and then DRAM has time to spare" : "");
  } else {
    advice.predicted_bytes = advice.row_major_bytes;
    advice.reason = "order will not matter here: ";
    if (problem.compulsory_bytes() <= chip.cache_bytes)
      advice.reason += "everything fits in L2";
    else if (row_major.dram_bytes == problem.compulsory_bytes())
      advice.reason += "row_major already reads every byte once";
    else
      advice.reason += "the best that was found saves under " + std::to_string(std::lround(100 * least)) + " %";
  }
  if constexpr (requires { with_l1(advice, problem, device, blocks_per_multiprocessor); }) {
    advice = with_l1(advice, problem, device, blocks_per_multiprocessor);
  }
  advice.reason += "; " + to_string(conditions) + ".";
  return advice;
}

}  // namespace heddle::inline HEDDLE_ABI::detail

namespace heddle::inline HEDDLE_ABI::predict {

/// Ask once and keep the answer: it replays some forty orders.
///
///   const advice a = advise(gemm_problem{.m = 8192, .n = 8192, .k = 8192}, h200());
///   with_order(a, grid, …)
///
/// The order with the fewest bytes is advised, the simpler one of equals, and row_major where that saves
/// less than 3 %, or 15 % of a stencil. But where DRAM would be idle for half of the time with bands of 1024 rows,
/// those are: then bytes do not decide, and no other order was as fast as often.
///
/// k-steps are merged until at most 64 are left: in 53 random products of whole tiles that never changed the
/// choice, and the bytes by at most 0.4 %; in a ragged one, by 1.8 %.
///
/// The schedule of a product of more than one wave is static and persistent where a block has a multiprocessor to
/// itself and keeps its step; else one tile a block. H200, docs/gemm_study.md: static is then 2 to 8 % faster than
/// one_shot. Where slices take twice the requests and the tile is so small that multiplying does not hide them, blocks
/// run unevenly, and static is 1 to 7 % slower. Tickets were between the two, mostly.
inline advice advise(gemm_problem problem, const device& device, int blocks_per_multiprocessor = 1) {
  problem.check();
  problem.tile_k *= (std::max)(1, (problem.k_steps() - 1) / 64 + 1);
  const bool in_step = blocks_per_multiprocessor == 1 && detail::keeps_step(problem);
  return detail::advise(problem, device, blocks_per_multiprocessor,
                        in_step ? schedule_kind::strided : schedule_kind::one_shot);
}

/// 8 blocks of 256 threads fill a multiprocessor. Every wave is replayed: 0.15 s for an à-trous pass
/// over 524,288 tiles, 0.55 s over four times as many.
///
/// Where blocks would wait for L2, which is where most of the gain is on a chip with much DRAM bandwidth, sm_affine is
/// advised over tiles that share what they read. Say what a pixel costs, `instructions_per_pixel`, and what its threads
/// load, `requested_bytes_per_pixel`: a pass that has other work to do gains nothing. With a device of no `l1_bytes`,
/// an order alone is advised.
inline advice advise(const stencil_problem& problem, const device& device, int blocks_per_multiprocessor = 8) {
  return detail::advise(problem, device, blocks_per_multiprocessor, schedule_kind::one_shot);
}

}  // namespace heddle::inline HEDDLE_ABI::predict

#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <heddle/predict/advice.hpp>
#include <heddle/predict/detail/explain.hpp>
#include <heddle/predict/detail/order_search.hpp>
#include <heddle/predict/traffic.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

struct order_and_traffic {
  predict::order_choice order;
  predict::wave_traffic bytes;
};

template <class Problem>
predict::wave_traffic coarse_traffic(const Problem& problem, const replay_size& chip,
                                     const predict::order_choice& choice) {
  predict::wave_traffic total;
  auto replay = problem.coarse_replay(chip.cache_bytes);
  predict::with_order(choice, problem.grid(), [&](const auto& order) {
    for_each_wave(order, {order.size(), chip.multiprocessors, chip.blocks, {}}, [&](const std::vector<coord>& wave) {
      total += replay(wave);
      return true;
    });
  });
  return total;
}

/// The first of `orders`, or a later one that reads a twentieth less.
template <class Problem>
order_and_traffic usual_order(const Problem& problem, const replay_size& chip,
                              const std::vector<predict::order_choice>& orders) {
  std::optional<order_and_traffic> usual;
  for (const predict::order_choice& order : orders) {
    const predict::wave_traffic bytes = coarse_traffic(problem, chip, order);
    const long long before = usual ? usual->bytes.dram_bytes : 0, twentieth = before / 20 + (before % 20 > 0);
    if (!usual || before - bytes.dram_bytes >= twentieth) usual = {order, bytes};
  }
  return *usual;
}

template <class Problem>
predict::advice advise(const Problem& problem, const predict::device& device, int blocks_per_multiprocessor) {
  const predict::advice_rules rules = problem.rules(blocks_per_multiprocessor);
  const replay_size chip = replay_size_of(problem, device, blocks_per_multiprocessor);
  auto [row_major, best, best_dram_bytes] = search_orders(problem, chip, rules);
  const conditions conditions{times_of(problem, device, row_major), row_major.hit_rate(), problem.closest_overlap()};
  bool is_usual = false;
  if (!rules.usual_orders.empty() && row_major.dram_bytes > problem.compulsory_bytes()) {
    const auto [usual, bytes] = usual_order(problem, chip, rules.usual_orders);
    is_usual = times_of(problem, device, bytes).dram_is_half_idle();
    if (is_usual) best = usual, best_dram_bytes = bytes.dram_bytes;
  }

  predict::advice advice;
  if (problem.grid().size() > 1LL * device.multiprocessors * blocks_per_multiprocessor) {
    advice.schedule = rules.beyond_one_wave;
  }
  advice.row_major_bytes = row_major.dram_bytes + row_major.written_bytes;
  advice.predicted_bytes = best_dram_bytes + row_major.written_bytes;
  const double gain =
      1 - static_cast<double>(advice.predicted_bytes) / (std::max)(1.0, static_cast<double>(advice.row_major_bytes));
  advice.matters = is_usual ? std::abs(gain) >= rules.least_gain
                            : best_dram_bytes < row_major.dram_bytes && gain >= rules.least_gain;
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
      advice.reason +=
          "the best that was found saves under " + std::to_string(std::lround(100 * rules.least_gain)) + " %";
  }
  advice = problem.refined(advice, device, blocks_per_multiprocessor);
  advice.reason += "; " + to_string(conditions) + ".";
  return advice;
}

}  // namespace heddle::inline HEDDLE_ABI::detail

namespace heddle::inline HEDDLE_ABI::predict {

/// An order and a schedule for any problem, and why. Ask once and keep the answer: it replays some forty orders.
///
///   const advice a = advise(my_problem{…}, h200(), 2);
///   with_order(a, grid, …)
///
/// The order with the fewest bytes is advised, the simpler one of equals, and row_major where that saves less than the
/// problem's `least_gain`. What else the problem knows is in its `rules` and in `refined`.
template <problem Problem>
advice advise(const Problem& problem, const device& device, int blocks_per_multiprocessor) {
  problem.check();
  device.check();
  detail::require_at_least(1, "heddle::predict::advise: blocks_per_multiprocessor", blocks_per_multiprocessor);
  return detail::advise(problem, device, blocks_per_multiprocessor);
}

/// A product is worth another order from 3 % on. But where DRAM would be idle for half of the time with bands of 1024
/// rows, those are advised: then bytes do not decide, and no other order was as fast as often.
///
/// The schedule of a product of more than one wave is static and persistent where a block has a multiprocessor to
/// itself and keeps its step; else one tile per block. H200, docs/gemm_study.md: static is then 2 to 8 % faster than
/// one_shot. Where slices take twice the requests and the tile is so small that multiplying does not hide them, blocks
/// run unevenly, and static is 1 to 7 % slower. Tickets were between the two, mostly.
inline advice advise(const gemm_problem& problem, const device& device, int blocks_per_multiprocessor = 1) {
  return advise<gemm_problem>(problem, device, blocks_per_multiprocessor);
}

/// A stencil is worth another order from 15 % on. 8 blocks of 256 threads fill a multiprocessor. Every wave is
/// replayed: 0.15 s for an à-trous pass over 524,288 tiles, 0.55 s over four times as many.
///
/// Where blocks would wait for L2, which is where most of the gain is on a chip with much DRAM bandwidth, sm_affine is
/// advised over tiles that share what they read. Say what a pixel costs, `instructions_per_pixel`, and what its threads
/// load, `requested_bytes_per_pixel`: a pass that has other work to do gains nothing. With a device of no `l1_bytes`,
/// an order alone is advised.
inline advice advise(const stencil_problem& problem, const device& device, int blocks_per_multiprocessor = 8) {
  return advise<stencil_problem>(problem, device, blocks_per_multiprocessor);
}

}  // namespace heddle::inline HEDDLE_ABI::predict

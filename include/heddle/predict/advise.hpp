#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <heddle/predict/advice.hpp>
#include <heddle/predict/detail/at_rate.hpp>
#include <heddle/predict/detail/explain.hpp>
#include <heddle/predict/detail/order_search.hpp>
#include <heddle/predict/traffic.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// An order and what it moves.
struct order_and_traffic {
  predict::order_choice order;
  sampled_traffic moved;
};

/// Returns the first of `orders`, or a later one that reads at least a twentieth less.
template <class Problem>
order_and_traffic usual_order(const Problem& problem, const replay_size& chip,
                              const std::vector<predict::order_choice>& orders) {
  std::optional<order_and_traffic> usual;
  for (const predict::order_choice& order : orders) {
    const sampled_traffic moved = traffic_of_order(order, problem, chip);
    const long long before = usual ? usual->moved.total.dram_bytes : 0, twentieth = before / 20 + (before % 20 > 0);
    if (!usual || before - moved.total.dram_bytes >= twentieth) usual = {order, moved};
  }
  return *usual;
}

/// Returns the advice for a problem and a device that were checked.
template <class Problem>
predict::advice advise(const Problem& problem, const predict::device& device, int blocks_per_multiprocessor) {
  const predict::advice_rules rules = problem.rules(device, blocks_per_multiprocessor);
  const replay_size chip = replay_size_of(problem, device, blocks_per_multiprocessor);
  auto [of_row_major, best, of_best] = search_orders(problem, chip, rules);
  const predict::wave_traffic& row_major = of_row_major.total;
  const predict::device of_kernel = at_rate(rules.matrix_operations_per_second, device);
  const conditions conditions{times_of(problem, of_kernel, row_major), row_major.hit_rate(), problem.closest_overlap()};
  bool is_usual = false;
  if (!rules.usual_orders.empty() && row_major.dram_bytes > problem.compulsory_bytes()) {
    const auto [usual, moved] = usual_order(problem, chip, rules.usual_orders);
    is_usual = times_of(problem, of_kernel, moved.total).dram_is_half_idle();
    if (is_usual) best = usual, of_best = moved;
  }

  predict::advice advice;
  if (problem.grid().size() > 1LL * device.multiprocessors * blocks_per_multiprocessor) {
    advice.schedule = rules.beyond_one_wave;
  }
  advice.row_major_bytes = row_major.dram_bytes + row_major.written_bytes;
  advice.predicted_bytes = of_best.total.dram_bytes + row_major.written_bytes;
  advice.bytes_error = (std::max)(of_row_major.relative_error(), of_best.relative_error());
  const double gain =
      1 - static_cast<double>(advice.predicted_bytes) / (std::max)(1.0, static_cast<double>(advice.row_major_bytes));
  const bool is_hidden = conditions.times.memory_hardly_counts();
  advice.matters =
      !is_hidden && (is_usual ? std::abs(gain) >= rules.least_gain
                              : of_best.total.dram_bytes < row_major.dram_bytes && gain >= rules.least_gain);
  advice.dram_is_top_unit = conditions.times.dram_is_top();
  advice.low_hit_rate = conditions.low_hit_rate();
  advice.footprints_overlap = conditions.footprints_overlap();

  if (advice.matters) {
    static_cast<predict::order_choice&>(advice) = best;
    const auto moved = static_cast<double>(advice.predicted_bytes),
               by_row_major = static_cast<double>(advice.row_major_bytes);
    advice.reason = to_string(best);
    if (is_usual) {
      advice.reason += " is usual for such problems, and leaves DRAM idle for at least half of the time; it";
    }
    advice.reason += " moves " + bytes_text(moved, by_row_major) + " to and from DRAM, and row_major " +
                     bytes_text(by_row_major, moved);
  } else {
    advice.predicted_bytes = advice.row_major_bytes;
    advice.reason = "order will not matter: ";
    if (problem.compulsory_bytes() <= chip.cache_bytes) {
      advice.reason += "everything fits in L2";
    } else if (row_major.dram_bytes == problem.compulsory_bytes()) {
      advice.reason += "row_major reads every byte only once";
    } else if (is_hidden) {
      advice.reason += "arithmetic takes at least four times as long as DRAM and L2";
    } else if (gain == 0) {
      advice.reason += "no order that was tried moves less than row_major";
    } else {
      advice.reason += is_usual ? to_string(best) + ", which leaves DRAM idle for at least half of the time, moves "
                                : "the best order found moves ";
      advice.reason += percent_text(std::abs(gain), rules.least_gain) + (gain < 0 ? " more" : " less") +
                       " than row_major, and what matters begins at " + percent_text(rules.least_gain);
    }
  }
  advice = problem.refined(advice, device, blocks_per_multiprocessor);
  advice.reason += ". " + to_string(conditions) + "." + sample_text(advice.bytes_error);
  return advice;
}

}  // namespace heddle::inline HEDDLE_ABI::detail

namespace heddle::inline HEDDLE_ABI::predict {

/// Returns the order and the schedule to use for any problem, and why.
///
/// The order with the fewest bytes is advised, and the simplest of equal ones. If it saves less than the problem's
/// `least_gain`, row_major is advised. The problem's `rules` and `refined` have the last word.
///
/// **Preconditions**: `blocks_per_multiprocessor` is at least 1, and the problem and the device pass their `check()`.
/// Any other value is refused with an `invalid_argument`.
/// Orders that read many cells are sampled: `bytes_error` of the advice says how sure its bytes are (docs/predict.md).
///
/// **Cost**: replays up to some forty orders on the host, or samples of them: 10 ms for a product of 8192³, 60 ms for
/// 200,000³. Ask once and keep the answer.
/// **Example** (examples/01_order/own_problem.cpp):
///
///     const attention work{.queries = 16384, .keys = 16384, .heads = 32, .key_heads = 8};
///     const advice best = advise(work, h200(), /*blocks_per_multiprocessor*/ 1);
template <problem Problem>
advice advise(const Problem& problem, const device& device, int blocks_per_multiprocessor) {
  detail::check_question(problem, device, blocks_per_multiprocessor);
  return detail::advise(problem, device, blocks_per_multiprocessor);
}

/// Returns the order and the schedule to use for a matrix product, and why. An order matters if it saves 3 % of the
/// bytes.
///
/// If bands of 1024 rows of C leave DRAM idle for at least half of the time, these are advised: bytes do not decide
/// then, and of all orders measured these were the fastest most often. If DRAM and L2 idle for three quarters of the
/// time in raster order, no order matters: so does a kernel in fp32, which states its `operations_per_second`.
///
/// A product of more than one wave gets `strided` if each block has a multiprocessor to itself and the blocks run
/// evenly, else `one_shot`. H200, docs/gemm_study.md: `strided` is 1 to 5 % faster at 8192³. If rows do not begin at a
/// line of L2, slices take twice the requests; tiles too small to hide these run unevenly, and `strided` is 1 to 8 %
/// slower. `ticket` was mostly between the two.
///
/// **Example** (examples/01_order/which_order.cpp):
///
///     const gemm_problem product{.m = 8192, .n = 8192, .k = 8192, .tile_m = 128, .tile_n = 128};
///     const advice of_product = advise(product, h200());
inline advice advise(const gemm_problem& problem, const device& device, int blocks_per_multiprocessor = 1) {
  return advise<gemm_problem>(problem, device, blocks_per_multiprocessor);
}

/// Returns the order and the schedule to use for a full-screen pass, and why. An order matters if it saves 15 % of the
/// bytes.
///
/// If blocks would wait for L2, `sm_affine` is advised, over tiles that share what they read. On a chip with much DRAM
/// bandwidth most of the gain is there. Set `instructions_per_pixel` and `requested_bytes_per_pixel` of the problem: a
/// pass with other work to do gains nothing. A device without `l1_bytes` gets an order alone. The number of
/// blocks has no default: a tile of 256 threads leaves room for up to 8.
///
/// **Cost**: 0.1 s for an à-trous pass over 2^20 tiles, and 0.2 s over 2^31 - 1.
/// **Example** (examples/01_order/which_order.cpp):
///
///     const advice of_filter = advise(filter, h200(), /*blocks_per_multiprocessor*/ 6);
inline advice advise(const stencil_problem& problem, const device& device, int blocks_per_multiprocessor) {
  return advise<stencil_problem>(problem, device, blocks_per_multiprocessor);
}

}  // namespace heddle::inline HEDDLE_ABI::predict

#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include <heddle/predict/advice_rules.hpp>
#include <heddle/predict/detail/replay_size.hpp>
#include <heddle/predict/detail/wave_replay.hpp>
#include <heddle/predict/wave_traffic.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns the bands that are worth a replay, the simplest first. Wide bands come before narrow ones: they are closer
/// to row_major.
inline std::vector<predict::order_choice> bands_to_try(extent grid) {
  using predict::order_kind;
  std::vector<predict::order_choice> choices;
  for (const order_kind kind : {order_kind::thread_group_tiling, order_kind::cta_swizzle}) {
    for (const axis axis : {axis::x, axis::y}) {
      const int breadth = axis == axis::x ? grid.cols : grid.rows;
      const bool tiling = kind == order_kind::thread_group_tiling;
      if (tiling && axis == axis::y) choices.push_back({kind, (std::max)(1, breadth), axis});  // column_major
      for (const int width : {64, 32, 24, 16, 12, 8, 4, 2})
        if (width < breadth) choices.push_back({kind, width, axis});
    }
  }
  return choices;
}

/// What row_major moves, and the order that reads the fewest bytes.
struct search_result {
  predict::wave_traffic row_major;
  predict::order_choice best;
  long long best_dram_bytes;
};

/// Searches for the order that reads the fewest bytes. Every order reads the compulsory bytes and, again, what the
/// cache dropped. An order is out as soon as it has read more again than the best so far; one that reads nothing again
/// cannot be beaten.
template <class Problem>
search_result search_orders(const Problem& problem, const replay_size& chip, const predict::advice_rules& rules) {
  search_result found{};
  long long fewest_again = (std::numeric_limits<long long>::max)() / 2;
  const long long counts = rules.bytes_that_count;
  const auto consider = [&](const predict::order_choice& choice) {
    predict::wave_traffic total;
    auto replay = problem.coarse_replay(chip.cache_bytes);
    predict::with_order(choice, problem.grid(), [&](const auto& order) {
      for_each_wave(order, {order.size(), chip.multiprocessors, chip.blocks, {}}, [&](const std::vector<coord>& wave) {
        total += replay(wave);
        return replay.bytes_again() < fewest_again + counts;
      });
    });
    // A simpler kind is better unless it reads at least `counts` more; any other kind must read at least `counts` less.
    const bool simpler = choice.kind < found.best.kind;
    const long long most = simpler ? fewest_again + counts - 1 : fewest_again - counts;
    if (replay.bytes_again() <= most) {
      fewest_again = replay.bytes_again();
      found.best = choice;
      found.best_dram_bytes = total.dram_bytes;
    }
    return total;
  };

  found.row_major = consider({});
  if (fewest_again == 0) return found;
  // Orders that are likely to win come first, so that the others are out soon.
  for (const auto& choice : rules.orders_to_try) consider(choice);
  consider({predict::order_kind::hilbert});
  for (const auto& choice : bands_to_try(problem.grid())) {
    consider(choice);
    if (fewest_again == 0 && found.best == choice) break;  // no later order is better or simpler
  }
  return found;
}

}  // namespace heddle::inline HEDDLE_ABI::detail

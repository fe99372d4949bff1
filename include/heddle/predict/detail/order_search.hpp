#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <heddle/predict/advice_rules.hpp>
#include <heddle/predict/detail/replay_size.hpp>
#include <heddle/predict/detail/sampled_replay.hpp>

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

/// Returns the tiles after which an order does the same again, or 0 if it does not.
inline long long tiles_of_pattern(const predict::order_choice& order, extent grid) {
  using predict::order_kind;
  if (order.kind == order_kind::row_major) return grid.cols;
  if (order.kind == order_kind::hilbert || order.kind == order_kind::dilated) return 0;
  return 1LL * order.width * (order.axis == axis::x ? grid.rows : grid.cols);
}

/// The size of a sample that compares an order with others, of one that says what it moves, and of one that says it if
/// the first was not sure.
constexpr sample_size to_compare{1 << 19, 1 << 14, 1 << 16, 1}, to_answer{1 << 21, 1 << 18, 1 << 20, 2},
    to_be_sure{1 << 22, 1 << 18, 1 << 21, 2};

/// The tiles of a problem that may be replayed whole in ten seconds. More time is not taken for more.
constexpr int replayable_tiles = 1 << 24;

/// Returns what an order moves, as `replay_sample` does.
template <class Problem, class Replay, class GoesOn>
sampled_traffic sample_order(const predict::order_choice& choice, const Problem& problem, const Replay& replay,
                             const replay_size& chip, predict::schedule_choice schedule, sample_size size,
                             const GoesOn& goes_on) {
  return predict::with_order(choice, problem.grid(), [&](const auto& order) {
    return replay_sample(order, problem, replay, chip, schedule, tiles_of_pattern(choice, problem.grid()), size,
                         goes_on);
  });
}

/// Returns what an order moves, as sure as an answer should be.
template <class Problem>
sampled_traffic traffic_of_order(const predict::order_choice& choice, const Problem& problem, const replay_size& chip,
                                 predict::schedule_choice schedule = {}) {
  const auto empty = problem.coarse_replay(chip.cache_bytes);
  const auto sample = [&](sample_size size) {
    return sample_order(choice, problem, empty, chip, schedule, size, [](long long) { return true; });
  };
  const sampled_traffic seen = sample(to_answer);
  const bool is_unsure = !seen.is_rough && seen.relative_error() > 0.005;
  return is_unsure && problem.grid().size() <= replayable_tiles ? sample(to_be_sure) : seen;
}

/// What row_major moves, and the order that reads the fewest bytes.
struct search_result {
  sampled_traffic row_major;
  predict::order_choice best;
  sampled_traffic of_best;
};

/// Searches for the order that reads the fewest bytes. Every order reads the compulsory bytes and, again, what the
/// cache dropped. An order is out as soon as it has read more again than the best so far; one that reads nothing again
/// cannot be beaten.
template <class Problem>
search_result search_orders(const Problem& problem, const replay_size& chip, const predict::advice_rules& rules) {
  search_result found{};
  const auto empty = problem.coarse_replay(chip.cache_bytes);
  long long fewest_again = (std::numeric_limits<long long>::max)() / 2;
  // A turn of a serpentine saves at most what the cache holds.
  std::vector<std::pair<predict::order_choice, long long>> bands;  // that were sampled, and what they read again
  const auto can_win = [&](predict::order_choice serpentine) {
    const extent grid = problem.grid();
    if (serpentine.kind != predict::order_kind::cta_swizzle) return true;
    serpentine.kind = predict::order_kind::thread_group_tiling;
    const auto same = std::find_if(bands.begin(), bands.end(), [&](const auto& b) { return b.first == serpentine; });
    const long long turns = (serpentine.axis == axis::x ? grid.cols : grid.rows) / serpentine.width;
    return same == bands.end() || same->second - turns * chip.cache_bytes < fewest_again;
  };
  const std::vector<predict::order_choice> all_bands = bands_to_try(problem.grid());
  long long cells_left = problem.grid().size() <= replayable_tiles ? 3 << 20 : 3 << 19,
            orders_left = static_cast<long long>(2 + rules.orders_to_try.size() + all_bands.size());
  const auto consider = [&](const predict::order_choice& choice) {
    const long long share = (std::max)(1LL << 14, cells_left / orders_left--);
    if (!can_win(choice)) return;
    const sample_size size{4 * share, share / 2, share, 1};
    const sampled_traffic seen = sample_order(choice, problem, empty, chip, {}, size, [&](long long again) {
      return again < fewest_again + rules.bytes_that_count;
    });
    cells_left -= seen.cells;
    if (seen.error > 0) bands.push_back({choice, seen.again - std::llround(3 * seen.error)});
    // A simpler kind is better unless it reads at least `counts` more; any other kind must read at least `counts` less.
    const long long counts =
        (std::max)(rules.bytes_that_count, std::llround((std::max)(seen.error, found.of_best.error)));
    const bool simpler = choice.kind < found.best.kind;
    const long long most = simpler ? fewest_again + counts - 1 : fewest_again - counts;
    if (seen.again <= most) {
      fewest_again = seen.again;
      found.best = choice;
      found.of_best = seen;
    }
  };

  consider({});
  if (fewest_again == 0 && found.of_best.error > 0) {  // a sample may miss what is read again
    found.of_best = traffic_of_order({}, problem, chip);
    fewest_again = found.of_best.again;
  }
  found.row_major = found.of_best;
  if (fewest_again == 0) return found;  // no later order is better or simpler
  // Orders that are likely to win come first, so that the others are out soon.
  for (const auto& choice : rules.orders_to_try) consider(choice);
  consider({predict::order_kind::hilbert});
  for (const auto& choice : all_bands) {
    consider(choice);
    if (fewest_again == 0 && found.best == choice) break;
  }
  if (found.row_major.error > 0) found.row_major = traffic_of_order({}, problem, chip);
  if (found.best == predict::order_choice{}) {
    found.of_best = found.row_major;
  } else if (found.of_best.error > 0) {
    found.of_best = traffic_of_order(found.best, problem, chip);
  }
  return found;
}

}  // namespace heddle::inline HEDDLE_ABI::detail

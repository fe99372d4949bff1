#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
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

/// The size of a sample that says what an order moves.
constexpr sample_size to_answer{5 << 19, 1 << 17, 3 << 18, 3 << 19};

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
                                 predict::schedule_choice schedule = {}, sample_size size = to_answer) {
  return sample_order(choice, problem, problem.coarse_replay(chip.cache_bytes), chip, schedule, size,
                      [](long long) { return true; });
}

/// What row_major moves, and the order that reads the fewest bytes.
struct search_result {
  sampled_traffic row_major;
  predict::order_choice best;
  sampled_traffic of_best;
};

/// The best of some orders, and those that may be better.
struct comparison {
  predict::order_choice best;
  sampled_traffic of_best;
  std::vector<predict::order_choice> near;
  bool is_sampled = false;
  long long cells = 0;  // read by all replays
};

/// Returns whether orders that are less simple and read `bytes_that_count` less are out of the question: none reads
/// less than nothing again.
inline bool is_unbeaten(const sampled_traffic& moved, long long bytes_that_count) {
  return static_cast<double>(moved.again) + 2 * moved.error < static_cast<double>(bytes_that_count);
}

/// Compares orders with row_major and with each other by replays that share a number of cells. Every order reads the
/// compulsory bytes and, again, what the cache dropped. An order is out as soon as it has read more again than the best
/// so far.
template <class Problem>
comparison compare_orders(const std::vector<predict::order_choice>& orders, const sampled_traffic& row_major,
                          const Problem& problem, const replay_size& chip, long long bytes_that_count,
                          long long cells) {
  constexpr std::size_t most_near = 6;
  comparison found{{}, row_major, {}};
  const auto empty = problem.coarse_replay(chip.cache_bytes);
  std::vector<std::pair<predict::order_choice, long long>> considered;  // with the bytes that each reads again at least
  const auto can_win = [&](predict::order_choice serpentine) {
    // A turn of a serpentine saves at most what the cache holds.
    const extent grid = problem.grid();
    if (serpentine.kind != predict::order_kind::cta_swizzle || !found.is_sampled) return true;
    serpentine.kind = predict::order_kind::thread_group_tiling;
    const auto same =
        std::find_if(considered.begin(), considered.end(), [&](const auto& c) { return c.first == serpentine; });
    const long long turns = (serpentine.axis == axis::x ? grid.cols : grid.rows) / serpentine.width;
    return same == considered.end() || same->second - turns * chip.cache_bytes < found.of_best.again;
  };
  const auto may_be_better = [&](const sampled_traffic& than, long long again) {
    return again < than.again + bytes_that_count + (than.error > 0 ? than.total.dram_bytes / 20 : 0);
  };
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const predict::order_choice& choice = orders[i];
    const long long share = (std::max)(1LL << 13, (cells - found.cells) / static_cast<long long>(orders.size() - i));
    if (!can_win(choice)) continue;
    const sampled_traffic moved = sample_order(choice, problem, empty, chip, {}, {2 * share, share / 4, share, share},
                                               [&](long long again) { return may_be_better(found.of_best, again); });
    found.cells += moved.cells;
    found.is_sampled |= moved.error > 0;
    considered.emplace_back(choice, moved.again);
    // A simpler kind is better unless it reads that much more; any other kind must read that much less.
    const bool simpler = choice.kind < found.best.kind;
    if (moved.again <= found.of_best.again + (simpler ? bytes_that_count - 1 : -bytes_that_count)) {
      found.best = choice;
      found.of_best = moved;
      if (choice.kind == predict::order_kind::thread_group_tiling && is_unbeaten(moved, bytes_that_count)) break;
    }
  }
  std::vector<long long> agains;
  for (const auto& [choice, again] : considered) agains.push_back(again);
  std::sort(agains.begin(), agains.end());
  for (const auto& [choice, again] : considered) {
    const bool is_among_best = again <= agains[(std::min)(most_near, agains.size()) - 1];
    const bool is_asked_for = choice == orders.front();  // by the problem
    if (choice == found.best || is_asked_for || (is_among_best && may_be_better(found.of_best, again))) {
      found.near.push_back(choice);
    }
  }
  return found;
}

/// Searches for the order that reads the fewest bytes. Where orders are sampled, the best of them are compared once
/// more by larger samples. What is left of the cells goes to row_major and to the best.
template <class Problem>
search_result search_orders(const Problem& problem, const replay_size& chip, const predict::advice_rules& rules) {
  search_result found{traffic_of_order({}, problem, chip), {}, {}};
  long long cells_left = (11 << 19) - found.row_major.cells;
  const auto sure = [&](const predict::order_choice& order, const sampled_traffic& moved, long long most) {
    most = (std::min)(most, to_answer.whole);
    if (moved.relative_error() <= 0.003 || moved.cells > most) return moved;
    const sampled_traffic larger = traffic_of_order(order, problem, chip, {}, {most, most / 8, most / 2, most});
    cells_left -= larger.cells;
    return larger;
  };
  found.row_major = sure({}, found.row_major, cells_left / 3);
  found.of_best = found.row_major;
  if (is_unbeaten(found.row_major, rules.bytes_that_count)) return found;
  // Orders that are likely to win come first, so that the others are out soon.
  std::vector<predict::order_choice> orders = rules.orders_to_try;
  orders.push_back({predict::order_kind::hilbert});
  for (const predict::order_choice& bands : bands_to_try(problem.grid())) orders.push_back(bands);
  const auto compare = [&](const std::vector<predict::order_choice>& some, long long cells) {
    return compare_orders(some, found.row_major, problem, chip, rules.bytes_that_count, cells);
  };
  comparison best = compare(orders, 3 << 19);
  cells_left -= best.cells;
  if (best.is_sampled) {
    best = compare(best.near, cells_left / 2);
    cells_left -= best.cells;
  }
  found.best = best.best;
  found.of_best = found.best == predict::order_choice{} ? found.row_major : sure(found.best, best.of_best, cells_left);
  return found;
}

}  // namespace heddle::inline HEDDLE_ABI::detail

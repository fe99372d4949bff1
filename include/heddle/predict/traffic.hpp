#pragma once

#include <heddle/concepts.hpp>
#include <heddle/invalid_argument.hpp>
#include <heddle/predict/detail/wave_replay.hpp>
#include <heddle/predict/problem.hpp>
#include <heddle/predict/traffic_report.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Refuses an order that does not cover the tiles of a problem.
template <class Order, class Space>
void require_covers(const Order& order, const Space& space) {
  if constexpr (is_same<space_of<Order>, extent> && is_same<Space, extent>) {
    require_equal(space.rows, "heddle::predict::traffic: order.space().rows", order.space().rows);
    require_equal(space.cols, "heddle::predict::traffic: order.space().cols", order.space().cols);
  } else {
    require_equal(space.size(), "heddle::predict::traffic: order.size()", order.size());
    int tiles = 0;
    for (int i = 0; i < order.size(); ++i) tiles += space.contains(order(i)) ? 1 : 0;
    require_equal(order.size(), "heddle::predict::traffic: tiles of the order that the problem has", tiles);
  }
}

/// Returns the traffic of all waves of an order, by the problem's exact replay.
template <space_order Order, predict::traffic_problem Problem>
predict::traffic_report replay_all(const Order& order, const Problem& problem, const replay_size& chip,
                                   const recipe& by) {
  static_assert(!cluster_order<Order>,
                "heddle::predict::traffic: what a cluster reads is not what a tile reads. Ask about the order that "
                "clustered{order, cluster, grid} was given, for a problem whose tiles are clusters");
  static_assert(is_same<tile_of<Order>, tile_of_problem<Problem>>,
                "heddle::predict::traffic: the tiles of the order are not those of the problem, such as {batch, row, "
                "col} of an order and {row, col} of a problem");
  problem.check();
  require_covers(order, tiles_of(problem));
  require_at_least(1, "heddle::predict::traffic: concurrent_blocks", chip.multiprocessors);
  require_at_least(0, "heddle::predict::traffic: cache_bytes", chip.cache_bytes);
  require_at_least(1, "heddle::predict::traffic: run", by.run);

  auto replay = problem.replay(chip.cache_bytes);
  predict::traffic_report report;
  report.compulsory_bytes = problem.compulsory_bytes();
  chip_waves waves(order, {order.size(), chip.multiprocessors, chip.blocks, by});
  for (long long i = 0; i < waves.size(); ++i) {
    const auto& wave = waves(i);
    if (wave.empty()) continue;
    report.waves.push_back(replay(wave));
    report.total += report.waves.back();
  }
  return report;
}

}}}  // namespace heddle::HEDDLE_ABI::detail

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Replays an order in waves of `concurrent_blocks` against one shared LRU cache, and returns the bytes of each wave.
///
/// On hardware blocks drift apart instead of going in waves, and written bytes take room in the cache too. The model
/// leaves out both.
///
/// **Preconditions**: `order` covers the problem's `grid()` or `space()`, `concurrent_blocks` and `by.run` are at
/// least 1, and `cache_bytes` is at least 0. Any other value is refused with an `invalid_argument`.
/// **Example** (tests/predict/traffic.cpp):
///
///     const traffic_report seen = traffic(row_major{source_text.grid()}, source_text, 132, source_cache);
template <space_order Order, traffic_problem Problem>
traffic_report traffic(const Order& order, const Problem& problem, int concurrent_blocks, long long cache_bytes,
                       const recipe& by = {}) {
  return detail::replay_all(order, problem, {concurrent_blocks, 1, cache_bytes}, by);
}

/// Replays an order on a chip as `advise` does: blocks and cache are those of the device.
///
/// **Example** (examples/01_order/own_problem.cpp):
///
///     return 1e-9 * static_cast<double>(traffic(order, work, h200()).total.dram_bytes);
template <space_order Order, traffic_problem Problem>
traffic_report traffic(const Order& order, const Problem& problem, const device& device,
                       int blocks_per_multiprocessor = 1, const recipe& by = {}) {
  device.check();
  detail::require_member("traffic", "blocks_per_multiprocessor", blocks_per_multiprocessor, detail::of_blocks);
  return detail::replay_all(
      order, problem,
      detail::replay_size_of(problem.rules(device, blocks_per_multiprocessor), device, blocks_per_multiprocessor), by);
}

}}}  // namespace heddle::HEDDLE_ABI::predict

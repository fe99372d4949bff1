#pragma once

#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/invalid_argument.hpp>
#include <heddle/predict/detail/replay_size.hpp>
#include <heddle/predict/detail/wave_replay.hpp>
#include <heddle/predict/problem.hpp>
#include <heddle/predict/traffic_report.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns the traffic of all waves of an order, by the problem's exact replay.
template <grid_order Order, predict::problem Problem>
predict::traffic_report replay_all(const Order& order, const Problem& problem, const replay_size& chip,
                                   predict::schedule_choice schedule) {
  static_assert(!cluster_order<Order>,
                "heddle::predict::traffic: what a cluster reads is not what a tile reads. Ask about the order that "
                "clustered{order, cluster, grid} was given, for a problem whose tiles are clusters");
  problem.check();
  require_equal(problem.grid().rows, "heddle::predict::traffic: order.grid().rows", order.grid().rows);
  require_equal(problem.grid().cols, "heddle::predict::traffic: order.grid().cols", order.grid().cols);
  require_at_least(1, "heddle::predict::traffic: concurrent_blocks", chip.multiprocessors);
  require_at_least(0, "heddle::predict::traffic: cache_bytes", chip.cache_bytes);
  require_at_least(1, "heddle::predict::traffic: schedule.run", schedule.run);

  auto replay = problem.replay(chip.cache_bytes);
  predict::traffic_report report;
  report.compulsory_bytes = problem.compulsory_bytes();
  for_each_wave(order, {order.size(), chip.multiprocessors, chip.blocks, schedule},
                [&](const std::vector<coord>& wave) {
                  report.waves.push_back(replay(wave));
                  report.total += report.waves.back();
                  return true;
                });
  return report;
}

}  // namespace heddle::inline HEDDLE_ABI::detail

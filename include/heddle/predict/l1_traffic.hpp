#pragma once

#include <heddle/concepts.hpp>
#include <heddle/predict/detail/l1_replay.hpp>
#include <heddle/predict/device.hpp>
#include <heddle/predict/l1_traffic_report.hpp>
#include <heddle/predict/stencil_problem.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Replays the tiles of some multiprocessors against an L1 each, a stretch at a time, and takes them for all.
///
///   l1_traffic(dilated{p.grid(), {8, 4}, 2}, p, h200(), 8, {schedule_kind::sm_affine, 64}).l2_bytes
template <grid_order Order>
l1_traffic_report l1_traffic(const Order& order, const stencil_problem& problem, const device& device,
                             int blocks_per_multiprocessor, schedule_choice schedule = {}) {
  static_assert(!cluster_order<Order>,
                "heddle::predict::l1_traffic: what a cluster reads is not what a tile reads. Ask about the order that "
                "clustered{order, cluster, grid} was given, for a problem whose tiles are clusters");
  problem.check();
  device.check();
  detail::require_equal(problem.grid().size(), "heddle::predict::l1_traffic: order.size()", order.size());
  detail::require_at_least(1, "heddle::predict::l1_traffic: blocks_per_multiprocessor", blocks_per_multiprocessor);
  detail::require_at_least(1, "heddle::predict::l1_traffic: schedule.run", schedule.run);
  return detail::l1_bytes(order, problem, device, blocks_per_multiprocessor, schedule);
}

}  // namespace heddle::inline HEDDLE_ABI::predict

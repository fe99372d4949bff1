#pragma once

#include <heddle/concepts.hpp>
#include <heddle/predict/detail/l1_replay.hpp>
#include <heddle/predict/device.hpp>
#include <heddle/predict/stencil_problem.hpp>
#include <heddle/predict/traffic_report.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Returns what the blocks of a pass read from L1, and what L1 then reads from L2. It replays eight stretches of tiles,
/// each on one multiprocessor, and scales them up to all tiles.
///
/// **Preconditions**: `order` covers the problem's grid; `blocks_per_multiprocessor` and `by.run` are at least 1.
/// Any other value is refused with an `invalid_argument`.
/// **Example** (tests/predict/traffic.cpp):
///
///     const l1_traffic_report near =
///         l1_traffic(dilated{flat.grid(), {8, 4}, 2}, flat, h200(), 9, {.schedule = recipe::sm_affine, .run = 64});
template <grid_order Order>
l1_traffic_report l1_traffic(const Order& order, const stencil_problem& problem, const device& device,
                             int blocks_per_multiprocessor, const recipe& by = {}) {
  static_assert(!cluster_order<Order>,
                "heddle::predict::l1_traffic: what a cluster reads is not what a tile reads. Ask about the order that "
                "clustered{order, cluster, grid} was given, for a problem whose tiles are clusters");
  problem.check();
  device.check();
  detail::require_equal(problem.grid().rows, "heddle::predict::l1_traffic: order.space().rows", order.space().rows);
  detail::require_equal(problem.grid().cols, "heddle::predict::l1_traffic: order.space().cols", order.space().cols);
  detail::require_member("l1_traffic", "blocks_per_multiprocessor", blocks_per_multiprocessor, detail::of_blocks);
  detail::require_at_least(1, "heddle::predict::l1_traffic: run", by.run);
  return detail::l1_bytes(order, problem, device, blocks_per_multiprocessor, by);
}

}}}  // namespace heddle::HEDDLE_ABI::predict

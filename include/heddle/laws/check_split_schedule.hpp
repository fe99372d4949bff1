#pragma once

#include <heddle/laws/check_schedule.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace laws {

namespace detail {

/// Returns the index of a part's tile, or less than 0 for a tile outside the order, for which `index` must not be
/// called.
template <class Order, class Tile>
int index_of_part(const Order& order, const Tile& tile) {
  if constexpr (cluster_order<Order>) {  // a part has the tile of its cluster's first block
    for (int cluster = 0; cluster < order.size(); ++cluster) {
      if (order.tile(cluster, 0) == tile) return cluster;
    }
    return -1;
  } else if constexpr (grid_order<Order>) {
    if (!order.space().contains(tile)) return -1;
  }
  return order.index(tile);
}

}  // namespace detail

/// Checks the law of schedulers that split tiles: the workers of a launch do each step of each tile exactly once.
///
/// Workers that share a tile each have a slot of their own, in the order of their steps. Exactly one of them is the
/// last to arrive, after all the others. In every other launch some workers leave early, and the next launch must do
/// all steps again. With W workers, slots are numbers below 4W + 2.
///
/// **Preconditions**: the scheduler was built on host memory that was zeroed once. Link with threads.
/// **Effects**: throws `invalid_argument` for a plan outside its limits and for more than 2^26 steps of all tiles. A
/// launch that does not end is a failure.
/// **Cost**: an int per step of all tiles; a thread per worker.
/// **Example** (tests/laws/schedules.cpp):
///
///     std::vector<unsigned long long> state((stream_k<>::state_bytes(4) + 7) / 8);
///     const stream_k scheduler{order, 40, 4, state.data()};
///     …
///     all += laws::check_split_schedule(scheduler, {.workers = 4, .resident = 3, .seed = seed}).failure;
template <class Scheduler>
verdict check_split_schedule(const Scheduler& scheduler, launches plan) {
  plan.check();
  const int tiles = scheduler.order().size(), steps = scheduler.k_steps();
  if (tiles < 0) return failed("order().size() is ", tiles);
  if (steps < 0) return failed("k_steps() is ", steps);
  heddle::detail::require_at_most(1 << 26, "heddle::laws::check_split_schedule: steps of all tiles",
                                  1LL * tiles * steps);
  std::mt19937 random(plan.seed);
  const int slots = 2 * (2 * plan.workers + 1);
  for (int launch = 0; launch < plan.count; ++launch) {
    const bool whole = launch % 2 == 0;
    const auto index = [&](int tile, int step) {
      return static_cast<std::size_t>(tile) * static_cast<unsigned>(steps) + static_cast<unsigned>(step);
    };
    std::vector<int> done(index(tiles, 0)), wholes(static_cast<unsigned>(tiles)), lasts(static_cast<unsigned>(tiles));
    std::vector<int> owner(static_cast<unsigned>(slots), -1);  // per slot: the first step of its part
    std::vector<unsigned> patience;
    for (int worker = 0; worker < plan.workers; ++worker) patience.push_back(static_cast<unsigned>(random() % 4));
    std::string wrong;
    const auto complain = [&](const auto&... what) {
      if (wrong.empty()) wrong = failed(what...).failure;
    };

    /// Returns whether a part lies inside the limits, so that it can be counted.
    const auto is_possible = [&](const auto& part, int tile) {
      if (tile < 0 || tile >= tiles) {
        complain("a part is of ", part.tile, ", which is no tile of the order");
      } else if (part.begin < 0 || part.begin > part.end || part.end > steps) {
        complain("a part of tile ", tile, " has steps ", part.begin, " to ", part.end, " of ", steps);
      } else if (const auto& share = part.share; share.count < 1) {
        complain("a part of tile ", tile, " is one of ", share.count);
      } else if (share.count > 1 && (share.first < 0 || share.first > slots - share.count || share.slot < share.first ||
                                     share.slot - share.first >= share.count)) {
        complain("a part of tile ", tile, " is in slot ", share.slot, ", of ", share.count, " slots from ", share.first,
                 ", and there are ", slots);
      } else {
        return true;
      }
      return false;
    };

    interleaving memory(static_cast<unsigned>(random()), plan.resident);
    const auto work = [&](int worker) {
      const detail::simulated_machine machine(memory, worker, plan.workers, 0, launch);
      const typename Scheduler::template draws<detail::simulated_machine> parts(scheduler, machine);
      const typename Scheduler::template arrivals<detail::simulated_machine> arrivals(scheduler, machine);
      // With more parts than steps one part occurs twice or has no step, and the check fails. Without a stop a worker
      // that never ends would give no verdict.
      const unsigned most = whole ? static_cast<unsigned>(tiles) + static_cast<unsigned>(done.size())
                                  : patience[static_cast<unsigned>(worker)];
      unsigned visited = 0;
      for (unsigned number = parts.first(); number < parts.size(); number = parts.next(number)) {
        const auto part = parts.at(number);
        const int tile = detail::index_of_part(scheduler.order(), part.tile);
        if (!is_possible(part, tile)) break;
        for (int step = part.begin; step < part.end; ++step) ++done[index(tile, step)];
        if (part.share.count == 1) {
          ++wholes[static_cast<unsigned>(tile)];
          if (part.begin != 0 || part.end != steps) complain("a part that is not shared is not whole");
        } else {
          int& begins_with = owner[static_cast<unsigned>(part.share.slot)];
          if (begins_with != -1) complain("a slot is used twice");
          begins_with = part.begin;
          if (arrivals.arrive(part.share)) {
            ++lasts[static_cast<unsigned>(tile)];
            int before = -1;
            for (int of = part.share.first; of < part.share.first + part.share.count; ++of) {
              const int begin = owner[static_cast<unsigned>(of)];
              if (begin <= before) complain("the last to arrive finds slots empty, or out of order");
              before = begin;
            }
          }
        }
        if (++visited > most) {
          if (whole) complain("a worker has more parts than there are steps");
          break;
        }
      }
    };
    const auto launch_failed = [&](auto... parts) {
      return failed("launch ", launch, " of ", plan.workers, " workers (", plan.resident, " resident, seed ", plan.seed,
                    "): ", parts...);
    };
    const bool ends = memory.run(plan.workers, 100'000 + 1'000LL * tiles + 1'000LL * plan.workers, work);
    if (!wrong.empty()) return launch_failed(wrong.c_str());
    if (!ends) return launch_failed("it does not end");
    for (int tile = 0; tile < tiles; ++tile) {
      const auto at = static_cast<unsigned>(tile);
      for (int step = 0; step < steps; ++step) {
        const int count = done[index(tile, step)];
        if (count > 1) return launch_failed("step ", step, " of tile ", tile, " is done ", count, " times");
        if (whole && count == 0) return launch_failed("step ", step, " of tile ", tile, " is never done");
      }
      const int count = wholes[at] + lasts[at];
      if (count > 1) return launch_failed("tile ", tile, " is finished ", count, " times");
      if (whole && count == 0) return launch_failed("tile ", tile, " is never finished");
    }
  }
  return {};
}

}}}  // namespace heddle::HEDDLE_ABI::laws

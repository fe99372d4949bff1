#pragma once

#include <heddle/laws/check_schedule.hpp>

namespace heddle::inline v0::laws {

/// The law of schedulers that split tiles: the workers of a launch do each step of each tile exactly once. Of those
/// who share a tile each has a slot of its own, in the order of their steps; exactly one of them is the last to
/// arrive, and all the others have arrived before it. In every other launch workers leave early, and the next launch is
/// whole again.
///
/// `state` is what the scheduler was built on: host memory, zeroed once.
template <class Scheduler>
verdict check_split_schedule(const Scheduler& scheduler, launches plan) {
  std::mt19937 random(plan.seed);
  const int tiles = scheduler.order().size(), steps = scheduler.k_steps();
  for (int launch = 0; launch < plan.count; ++launch) {
    const bool whole = launch % 2 == 0;
    const auto index = [&](int tile, int step) {
      return static_cast<std::size_t>(tile) * static_cast<unsigned>(steps) + static_cast<unsigned>(step);
    };
    std::vector<int> done(index(tiles, 0)), wholes(static_cast<unsigned>(tiles)), lasts(static_cast<unsigned>(tiles));
    // Of a slot: the step it begins with.
    std::vector<int> owner(static_cast<std::size_t>(2 * plan.workers + 1) * 2, -1);
    std::vector<unsigned> patience;
    for (int worker = 0; worker < plan.workers; ++worker) patience.push_back(static_cast<unsigned>(random() % 4));
    std::string wrong;
    const auto complain = [&](const char* what) {
      if (wrong.empty()) wrong = what;
    };

    interleaving memory(static_cast<unsigned>(random()), plan.resident);
    const auto work = [&](int worker) {
      const detail::simulated_machine machine(memory, worker, plan.workers, 0, launch);
      const typename Scheduler::template draws<detail::simulated_machine> parts(scheduler, machine);
      const typename Scheduler::template arrivals<detail::simulated_machine> arrivals(scheduler, machine);
      unsigned visited = 0;
      for (unsigned number = parts.first(); number < parts.size(); number = parts.next(number)) {
        const auto part = parts.at(number);
        const int tile = scheduler.order().index(part.tile);
        for (int step = part.begin; step < part.end; ++step) ++done[index(tile, step)];
        if (part.share.count == 1) {
          ++wholes[static_cast<unsigned>(tile)];
          if (part.begin != 0 || part.end != steps) complain("a part that nobody shares is not whole");
        } else {
          const auto slot = static_cast<std::size_t>(part.share.slot);
          if (slot >= owner.size() || owner[slot] != -1) {
            complain("a slot is used twice");
          } else {
            owner[slot] = part.begin;
          }
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
        if (!whole && ++visited > patience[static_cast<unsigned>(worker)]) break;
      }
    };
    const auto launch_failed = [&](auto... parts) {
      return failed("launch ", launch, " of ", plan.workers, " workers (", plan.resident, " resident, seed ",
                    static_cast<int>(plan.seed), "): ", parts...);
    };
    if (!memory.run(plan.workers, 100'000 + 1'000LL * (tiles + plan.workers), work))
      return launch_failed("it does not end");
    if (!wrong.empty()) return launch_failed(wrong.c_str());
    for (int tile = 0; tile < tiles; ++tile) {
      const auto at = static_cast<unsigned>(tile);
      for (int step = 0; step < steps; ++step) {
        const int count = done[index(tile, step)];
        if (count > 1) return launch_failed("step ", step, " of tile ", tile, " is done ", count, " times");
        if (whole && count == 0) return launch_failed("step ", step, " of tile ", tile, " is never done");
      }
      const int ends = wholes[at] + lasts[at];
      if (ends > 1) return launch_failed("tile ", tile, " is finished ", ends, " times");
      if (whole && ends == 0) return launch_failed("tile ", tile, " is never finished");
    }
  }
  return {};
}

}  // namespace heddle::inline v0::laws

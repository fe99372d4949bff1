#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/one_at_a_time.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/recipe/with.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Says where the workers of a launch run, which are blocks, or clusters.
struct places {
  /// When a place is free, and on which multiprocessor it is.
  struct place {
    double free;
    int multiprocessor;
  };

  int count;                     // workers that run at once
  int together = 1;              // of them on one multiprocessor
  int workers = 0;               // that are launched; 0: as many as the scheduler's `grid` launches
  std::vector<place> late = {};  // the first places, where they are not all free from the beginning
};

/// Describes a launch over uneven tiles: when it ends, and which worker does what until then.
struct makespan_report {
  /// A tile's place in the order, the place of its worker, and when it runs.
  struct stretch {
    int index, worker;
    double begin, end;
  };

  double end = 0;                  // of the last tile, in units of the costs
  double work = 0;                 // the costs of all tiles together
  double waited = 0;               // by workers with a tile whose input was not here yet
  double longest = 0;              // the largest cost
  int workers = 1;                 // that run at once
  std::vector<stretch> stretches;  // by index

  /// Returns the share of the workers' time until the end in which they have no tile, or wait for its input.
  double idle_share() const { return end > 0 ? 1 - work / (end * workers) : 0; }
};

}}}  // namespace heddle::HEDDLE_ABI::predict

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// A worker of any scheduler: the clock is compiled once for all of them.
struct any_worker {
  virtual ~any_worker() = default;
  virtual void ask() = 0;
  virtual void draw() = 0;

  unsigned index = 0;  // that it works on, or has just drawn
  bool has_begun = false;
};

/// A worker of one scheduler, with its shared memory.
template <class Scheduler>
struct worker_of final : any_worker {
  worker_of(const Scheduler& scheduler, const one_at_a_time& on) : draws(scheduler, on, shared) {
    index = draws.first();
  }
  void ask() override {
    if constexpr (requires { draws.ask(); }) draws.ask();
  }
  void draw() override { index = draws.next(index); }

  typename Scheduler::storage shared{};
  typename Scheduler::template draws<one_at_a_time> draws;
};

/// A scheduler of any type, by its tiles, whether it launches a worker per tile, and what begins a worker.
struct any_scheduler {
  int tiles;
  bool is_one_shot;
  std::function<std::unique_ptr<any_worker>(const one_at_a_time&)> begin;
};

template <class Scheduler>
any_scheduler any_of(const Scheduler& scheduler) {
  any_scheduler any{scheduler.order().size(), false,
                    [&](const one_at_a_time& on) { return std::make_unique<worker_of<Scheduler>>(scheduler, on); }};
  if constexpr (requires { Scheduler::persistent; }) any.is_one_shot = !Scheduler::persistent;
  return any;
}

/// Runs the scheduler's own `draws` in virtual time: a worker decides when it begins, and when it is done with a tile.
/// `cost` and `arrival` are by index.
inline predict::makespan_report run_in_time(const any_scheduler& by, const std::function<double(int)>& cost,
                                            const std::function<double(int)>& arrival, const predict::places& on) {
  require_at_least(1, "heddle::predict::makespan: workers", on.count);
  require_at_least(1, "heddle::predict::makespan: together", on.together);
  require_at_least(0, "heddle::predict::makespan: workers that are launched", on.workers);
  const int all = on.workers > 0 ? on.workers : by.is_one_shot ? by.tiles : (std::min)(by.tiles, on.count);
  const auto workers = static_cast<unsigned>(all), tiles = static_cast<unsigned>(by.tiles);
  predict::makespan_report report;
  report.workers = on.count;
  report.stretches.resize(tiles);

  std::vector<std::unique_ptr<any_worker>> at((std::min)(workers, static_cast<unsigned>(on.count)));
  unsigned begun = 0, taken = 0;
  const auto begin_at = [&](unsigned number) {
    const int sm = number < on.late.size() ? on.late[number].multiprocessor : static_cast<int>(number) / on.together;
    at[number] = by.begin({static_cast<unsigned>(sm), workers, begun++, &begun});
  };
  using next_free = std::pair<double, unsigned>;  // when, and which place
  std::priority_queue<next_free, std::vector<next_free>, std::greater<>> free;
  for (unsigned number = 0; number < at.size(); ++number) {
    const double from = number < on.late.size() ? on.late[number].free : 0;
    free.push({from, number});
    if (!(from > 0)) begin_at(number);  // all of these before one of them draws again
  }
  while (!free.empty() && taken <= tiles) {
    const auto [now, number] = free.top();
    free.pop();
    const std::unique_ptr<any_worker>& here = at[number];
    if (here && std::exchange(here->has_begun, true)) here->draw();
    while ((!here || here->index >= tiles) && begun < workers) {  // the next one begins where a worker has ended
      begin_at(number);
      here->has_begun = true;
    }
    if (!here || here->index >= tiles) continue;
    here->ask();
    ++taken;
    const auto i = static_cast<int>(here->index);
    const double time = cost(i), input = arrival(i), begin = (std::max)(now, input);
    if (!(time >= 0)) refuse("heddle::predict::makespan", ": the cost of a tile is not at least 0");
    if (!(input >= 0)) refuse("heddle::predict::makespan", ": the arrival of a tile's input is not at least 0");
    report.stretches[here->index] = {i, static_cast<int>(number), begin, begin + time};
    report.waited += begin - now;
    report.work += time;
    report.longest = (std::max)(report.longest, time);
    report.end = (std::max)(report.end, begin + time);
    free.push({begin + time, number});
  }
  if (taken != tiles) refuse("heddle::predict::makespan", ": the scheduler does not give each tile once");
  return report;
}

/// Returns the largest value of `of` over a worker's tiles: its tile, or all tiles of its cluster.
template <class Order, class Of>
double longest_of(const Order& order, int index, const Of& of) {
  if constexpr (cluster_order<Order>) {
    double longest = 0;
    for (int block = 0; block < order.blocks_in_cluster(); ++block) {
      const auto tile = order.tile(index, block);
      if (order.contains(tile)) longest = (std::max)(longest, static_cast<double>(of(tile)));
    }
    return longest;
  } else {
    return of(order(index));
  }
}

}}}  // namespace heddle::HEDDLE_ABI::detail

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Predicts when a launch ends whose tiles take `cost(tile)` each, by what its scheduler itself draws: one of heddle's,
/// `traced` or not, or one of your own. A worker that gets a tile before its input is here, at `arrival(tile)` from the
/// beginning, waits with it. A cluster is a worker, and takes as long as the longest of its tiles.
///
/// A scheduler that takes no tile before a worker is done (`one_shot`, `draws_late{ticket}`) ends no later than work /
/// workers + (1 - 1 / workers) * longest, if all input is here and all places are free. One that draws ahead, as
/// `ticket` does, binds a tile to a worker that may still be busy for long.
///
/// **Preconditions**: costs and arrivals are at least 0, there is at least one place, and at least one of them on a
/// multiprocessor; others are refused, and a scheduler that does not give each tile once. A scheduler with a state was
/// built on host memory, `state_bytes()` zeroes.
/// **Cost**: time and memory of the tiles, however many places there are: a million in half a second.
/// **Example** (tests/predict/makespan.cpp):
///
///     const auto ahead = makespan(ticket{heaviest_first, state.data()}, cost, {132});
///     const auto late = makespan(draws_late{ticket{heaviest_first, state.data()}}, cost, {132});
template <tile_scheduler Scheduler, class Cost, class Arrival>
makespan_report makespan(const Scheduler& scheduler, Cost cost, Arrival arrival, const places& on) {
  const auto& order = scheduler.order();
  return detail::run_in_time(
      detail::any_of(scheduler), [&](int i) { return detail::longest_of(order, i, cost); },
      [&](int i) { return detail::longest_of(order, i, arrival); }, on);
}

/// Predicts when a launch ends whose input is all here.
template <tile_scheduler Scheduler, class Cost>
makespan_report makespan(const Scheduler& scheduler, Cost cost, const places& on) {
  return makespan(
      scheduler, cost, [](const auto&) { return 0.0; }, on);
}

/// Predicts when a launch ends under the scheduler of a recipe. Parts of tiles are not known here: `stream_k` deals
/// tiles out like `strided`.
///
/// **Example** (tests/predict/makespan.cpp):
///
///     const auto in_order = makespan(row_major{grid}, cost, {132}, {.schedule = recipe::late_ticket});
///     const auto heaviest_first = makespan(reversed{row_major{grid}}, cost, {132}, {.schedule = recipe::late_ticket});
template <tile_order Order, class Cost, class Arrival>
makespan_report makespan(const Order& order, Cost cost, Arrival arrival, const places& on, recipe by) {
  detail::require_at_least(1, "heddle::predict::makespan: run", by.run);
  if (by.schedule == recipe::stream_k) by.schedule = recipe::strided;
  const std::function<double(int)> of_index = [&](int i) { return detail::longest_of(order, i, cost); };
  const std::function<double(int)> here = [&](int i) { return detail::longest_of(order, i, arrival); };
  std::vector<long long> state(detail::all_schedules::state_bytes() / sizeof(long long) + 1);
  return with_recipe<detail::all_schedules>(
      by, row_major{extent{1, order.size()}}, state.data(),
      [&](const auto& scheduler) { return detail::run_in_time(detail::any_of(scheduler), of_index, here, on); });
}

/// Predicts when a launch ends under the scheduler of a recipe whose input is all here.
template <tile_order Order, class Cost>
makespan_report makespan(const Order& order, Cost cost, const places& on, const recipe& by) {
  return makespan(
      order, cost, [](const auto&) { return 0.0; }, on, by);
}

}}}  // namespace heddle::HEDDLE_ABI::predict

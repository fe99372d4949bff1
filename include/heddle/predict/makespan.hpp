#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/recipe/recipe.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// The tiles that the workers of `work_stealing` take: each from its own lane, from which it draws a tile ahead, and
/// then from the fullest lane.
class stolen_tiles {
 public:
  stolen_tiles(int tiles, int workers)
      : tiles_(tiles), lanes_((std::min)(workers, 256)), drawn_(static_cast<unsigned>(lanes_)) {
    for (int worker = 0; worker < workers; ++worker) ahead_.push_back(begins);
  }

  /// Returns the next tile of a worker, or the number of tiles if there is none for it.
  int take(int worker) {
    int& ahead = ahead_[static_cast<unsigned>(worker)];
    const int own = worker % lanes_, taken = ahead == begins ? draw(own) : ahead;
    ahead = taken < tiles_ ? draw(own) : tiles_;
    if (taken < tiles_) return taken;
    int fullest = 0;
    for (int lane = 1; lane < lanes_; ++lane) fullest = left(lane) > left(fullest) ? lane : fullest;
    return draw(fullest);
  }

 private:
  static constexpr int begins = -1;  // in place of a tile that was drawn ahead

  int left(int lane) const {
    return lane < tiles_ ? (tiles_ - lane - 1) / lanes_ + 1 - drawn_[static_cast<unsigned>(lane)] : 0;
  }
  int draw(int lane) { return left(lane) > 0 ? lane + lanes_ * drawn_[static_cast<unsigned>(lane)]++ : tiles_; }

  int tiles_, lanes_;
  std::vector<int> drawn_, ahead_;  // from each lane; by each worker
};

}}}  // namespace heddle::HEDDLE_ABI::detail

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Describes a launch over uneven tiles: when it ends, and which worker does what until then.
struct makespan_report {
  /// A tile's place in the order, its worker, and when it runs.
  struct stretch {
    int index, worker;
    double begin, end;
  };

  double end = 0;                  // of the last tile, in units of the costs
  double work = 0;                 // the costs of all tiles together
  double waited = 0;               // by workers with a tile whose input was not here yet
  double longest = 0;              // the largest cost
  int workers = 1;                 // blocks that run at once
  std::vector<stretch> stretches;  // by index

  /// Returns the share of the workers' time until the end in which they have no tile, or wait for its input.
  double idle_share() const { return end > 0 ? 1 - work / (end * workers) : 0; }
};

/// Predicts when a launch ends whose tiles take `cost(tile)` each, on `workers` blocks that run at once. A block that
/// gets a tile before its input is here, at `arrival(tile)` from the beginning, waits with it.
///
/// Blocks of one_shot, ticket and cluster_launch take the next tile of the order as soon as they are done. strided and
/// chunked give each block its tiles in advance. Under sm_affine the `together` blocks of a multiprocessor draw from
/// one run, and take the next run when it is used up. Under work_stealing a block whose tiles are used up takes one of
/// the block that has most left.
///
/// No schedule that takes tiles as blocks are done ends later than work / workers + (1 - 1 / workers) * longest, if all
/// input is here.
///
/// **Preconditions**: costs and arrivals are at least 0, there is at least one worker, and at least one of them on a
/// multiprocessor; others are refused.
/// **Cost**: time and memory of the tiles, however many workers there are.
/// **Example** (tests/predict/makespan.cpp):
///
///     const auto in_order = makespan(row_major{grid}, cost, 132, {.schedule = recipe::ticket});
///     const auto heaviest_first = makespan(reversed{row_major{grid}}, cost, 132, {.schedule = recipe::ticket});
template <tile_order Order, class Cost, std::invocable<tile_of<Order>> Arrival>
makespan_report makespan(const Order& order, Cost cost, Arrival arrival, int workers, const recipe& by,
                         int together = 1) {
  heddle::detail::require_at_least(1, "heddle::predict::makespan: workers", workers);
  heddle::detail::require_at_least(1, "heddle::predict::makespan: together", together);
  heddle::detail::require_at_least(1, "heddle::predict::makespan: run", by.run);
  const int size = order.size();
  makespan_report report;
  report.workers = workers;
  report.stretches.resize(static_cast<unsigned>(size));

  using next_free = std::pair<double, int>;  // when, and which worker
  std::priority_queue<next_free, std::vector<next_free>, std::greater<>> free;
  const int busy = std::clamp(size, 1, workers);  // workers that may have a tile: the first ones
  std::vector<double> busy_until(static_cast<unsigned>(busy));
  for (int worker = 0; worker < busy; ++worker) free.push({0.0, worker});
  const int run = size / busy, longer_runs = size % busy;
  struct tiles {
    int next = 0, end = 0;
  };
  std::vector<tiles> run_of(static_cast<unsigned>((busy - 1) / together + 1));  // by multiprocessor
  int runs_end = 0;                                                             // of those that were taken
  heddle::detail::stolen_tiles lanes(size, busy);

  for (int turn = 0; turn < size; ++turn) {
    int i = turn, worker = 0;
    bool is_drawn = false;
    const auto take_a_free_worker = [&] {
      worker = free.top().second;
      free.pop();
      is_drawn = true;
    };
    switch (by.schedule) {
      case recipe::one_shot:
      case recipe::ticket:
      case recipe::late_ticket:
      case recipe::cluster_launch:
        take_a_free_worker();
        break;
      case recipe::work_stealing:
        do {  // a worker that finds no tile has ended
          take_a_free_worker();
          i = lanes.take(worker);
        } while (i == size);
        break;
      case recipe::strided:
      case recipe::stream_k:
        worker = i % workers;
        break;
      case recipe::chunked: {
        const int in_longer = longer_runs * (run + 1);
        worker = i < in_longer ? i / (run + 1) : longer_runs + (i - in_longer) / run;
        break;
      }
      case recipe::sm_affine:
        for (bool has_tile = false; !has_tile;) {  // a worker that finds no run has ended
          take_a_free_worker();
          tiles& mine = run_of[static_cast<unsigned>(worker / together)];
          if (mine.next == mine.end) {
            mine = {runs_end, runs_end + (std::min)(by.run, size - runs_end)};
            runs_end = mine.end;
          }
          has_tile = mine.next < mine.end;
          if (has_tile) i = mine.next++;
        }
        break;
    }
    const auto tile = order(i);
    const double taken = cost(tile);
    if (!(taken >= 0)) heddle::detail::refuse("heddle::predict::makespan", ": the cost of a tile is not at least 0");
    const double here = arrival(tile);
    if (!(here >= 0)) {
      heddle::detail::refuse("heddle::predict::makespan", ": the arrival of a tile's input is not at least 0");
    }
    double& until = busy_until[static_cast<unsigned>(worker)];
    const double begin = (std::max)(until, here);
    report.stretches[static_cast<unsigned>(i)] = {i, worker, begin, begin + taken};
    report.waited += begin - until;
    until = begin + taken;
    if (is_drawn) free.push({until, worker});
    report.work += taken;
    report.longest = (std::max)(report.longest, taken);
    report.end = (std::max)(report.end, until);
  }
  return report;
}

/// Predicts when a launch ends whose input is all here.
template <tile_order Order, class Cost>
makespan_report makespan(const Order& order, Cost cost, int workers, const recipe& by, int together = 1) {
  return makespan(
      order, cost, [](const auto&) { return 0.0; }, workers, by, together);
}

}}}  // namespace heddle::HEDDLE_ABI::predict

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <heddle/order/row_major.hpp>
#include <heddle/predict/makespan.hpp>
#include <heddle/trace/detail/tile_text.hpp>
#include <heddle/trace/report.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace trace {

/// Says in numbers how a launch went. Times are in nanoseconds.
struct summary {
  int blocks = 0, multiprocessors = 0;  // that ran
  int places = 0;                       // blocks that ran at once, at most
  int tiles = 0;                        // slices
  double time = 0;                      // from the first block's begin to the last one's end
  double idle_share = 0;                // of the places' time until the end, without a tile
  double tail = 0;                      // from when the first place has had its last tile to the end
  double longest = 0, median = 0;       // of tiles
  double spread = 0;                    // most less least busy multiprocessor, as a share of the mean
  double distance = 0;                  // of two tiles that run at once: rows and columns between them, on average
  double predicted = 0;                 // by predict::makespan from the blocks' begins and the tiles' own times;
                                        // 0 if tiles were left out
  double predicted_idle_share = 0;      // of that prediction
  double skew = 0;                      // times of two multiprocessors are up to this far apart

  /// Returns the numbers as lines of text.
  std::string text() const {
    char lines[640];
    std::snprintf(lines, sizeof lines,
                  "%d tiles on %d blocks, %d at once, on %d multiprocessors: %.1f us\n"
                  "idle %.1f %%, tail %.1f us, tiles: median %.2f us, longest %.2f us\n"
                  "busiest less idlest multiprocessor: %.1f %% of the mean\n"
                  "distance of tiles that run at once: %.1f\n",
                  tiles, blocks, places, multiprocessors, time * 1e-3, 100 * idle_share, tail * 1e-3, median * 1e-3,
                  longest * 1e-3, 100 * spread, distance);
    std::string all = lines;
    if (predicted > 0) {
      std::snprintf(lines, sizeof lines, "predict::makespan of these tiles: %.1f us, idle %.1f %%\n", predicted * 1e-3,
                    100 * predicted_idle_share);
      all += lines;
    }
    std::snprintf(lines, sizeof lines, "clocks of multiprocessors agree within %.0f ns\n", skew);
    return all + lines;
  }
};

namespace detail {

/// The sum of the distances between all pairs of numbers.
inline double distances_of_pairs(std::vector<int>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  const auto count = static_cast<double>(numbers.size());
  double sum = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) sum += numbers[i] * (2.0 * static_cast<double>(i) - count + 1);
  return sum;
}

/// The mean distance of two tiles of one plane that run at once, at 64 moments of a launch.
template <class Order>
double mean_distance(const std::vector<report::slice>& slices, double begin, double end, const Order& order) {
  constexpr int moments = 64;
  double sum = 0, pairs = 0;
  for (int moment = 0; moment < moments; ++moment) {
    const double time = begin + (end - begin) * (moment + 0.5) / moments;
    std::map<int, std::pair<std::vector<int>, std::vector<int>>> planes;  // rows and columns
    for (const report::slice& slice : slices) {
      if (slice.begin > time || slice.end <= time) continue;
      [[maybe_unused]] const auto tile = tile_at(order, slice.index, slice.rank);
      if constexpr (requires { tile.row + tile.col; }) {
        int plane = 0;
        if constexpr (requires { tile.batch; }) plane = tile.batch;
        planes[plane].first.push_back(tile.row);
        planes[plane].second.push_back(tile.col);
      }
    }
    for (auto& [plane, places] : planes) {
      const auto count = static_cast<double>(places.first.size());
      pairs += count * (count - 1) / 2;
      sum += distances_of_pairs(places.first) + distances_of_pairs(places.second);
    }
  }
  return pairs > 0 ? sum / pairs : 0;
}

}  // namespace detail

/// Sums a launch up, and predicts from the times of its tiles when it should have ended under the scheduler of a
/// recipe.
///
/// **Preconditions**: the launch is one of the report's, and the order is the launch's, on the host; an index that it
/// does not have is refused.
///
/// **Example** (examples/trace/trace.cu):
///
///     const auto numbers = heddle::trace::summarize(report, 1, order, by);
template <tile_order Order>
summary summarize(const report& from, int launch, const Order& order, const recipe& by) {
  heddle::detail::require_at_least(0, "heddle::trace::summarize: launch", launch);
  heddle::detail::require_at_most(static_cast<long long>(from.launches.size()) - 1, "heddle::trace::summarize: launch",
                                  launch);
  const report::launch& whole = from.launches[static_cast<std::size_t>(launch)];
  summary all;
  all.time = whole.end - whole.begin;
  all.skew = whole.skew;

  std::map<std::pair<int, int>, double> last_tile;  // by multiprocessor and place: when its last tile ended
  std::map<int, double> busy;                       // by multiprocessor
  for (const report::block& each : from.blocks) {
    if (each.launch != launch) continue;
    ++all.blocks;
    busy[each.sm];
    last_tile.try_emplace({each.sm, each.place}, whole.begin);
  }
  std::vector<report::slice> slices;
  std::vector<double> times;
  double work = 0;
  for (const report::slice& each : from.slices) {
    if (each.launch != launch) continue;
    slices.push_back(each);
    times.push_back(each.end - each.begin);
    work += times.back();
    busy[each.sm] += times.back();
    double& last = last_tile[{each.sm, each.place}];
    last = (std::max)(last, each.end);
  }
  all.multiprocessors = static_cast<int>(busy.size());
  all.places = static_cast<int>(last_tile.size());
  all.tiles = static_cast<int>(slices.size());
  if (slices.empty()) return all;

  std::sort(times.begin(), times.end());
  all.longest = times.back();
  all.median = times[times.size() / 2];
  if (all.time > 0) all.idle_share = 1 - work / (all.time * all.places);
  double earliest = whole.end, most = 0, least = work;
  for (const auto& [place, end] : last_tile) earliest = (std::min)(earliest, end);
  for (const auto& [sm, time] : busy) {
    most = (std::max)(most, time);
    least = (std::min)(least, time);
  }
  all.tail = whole.end - earliest;
  if (work > 0) all.spread = (most - least) * all.multiprocessors / work;
  all.distance = detail::mean_distance(slices, whole.begin, whole.end, order);

  std::map<std::pair<int, int>, double> costs;  // by index and rank: parts of a tile add up
  for (const report::slice& each : slices) {
    (void)detail::tile_at(order, each.index, each.rank);  // none that the order does not have
    costs[{each.index, each.rank}] += each.end - each.begin;
  }
  // Of a persistent launch every worker has a place, though one that finds no tile may leave its own to the next.
  const bool is_persistent = whole.blocks < order.size() * whole.blocks_of_worker;
  const int workers = (std::max)(1, (is_persistent ? all.blocks : all.places) / (std::max)(1, whole.blocks_of_worker));
  std::vector<double> of_index(static_cast<std::size_t>(order.size()), -1);
  for (const auto& [tile, cost] : costs) {
    double& longest = of_index[static_cast<std::size_t>(tile.first)];
    longest = (std::max)(longest, cost);
  }
  if (std::count(of_index.begin(), of_index.end(), -1.0) == 0) {
    double first_end = whole.end;
    for (const report::slice& each : slices) first_end = (std::min)(first_end, each.end);
    predict::places on{workers};
    for (const report::block& each : from.blocks) {  // one that begins before any tile ends is not late
      const double late = each.begin < first_end ? 0 : each.begin - whole.begin;
      if (each.launch == launch && each.rank == 0) on.late.push_back({late, each.sm});
    }
    std::stable_sort(on.late.begin(), on.late.end(), [](const auto& a, const auto& b) { return a.free < b.free; });
    const auto ideal = predict::makespan(
        row_major{extent{1, order.size()}}, [&](coord tile) { return of_index[static_cast<std::size_t>(tile.col)]; },
        on, by);
    all.predicted = ideal.end;
    all.predicted_idle_share = ideal.idle_share();
  }
  return all;
}

}}}  // namespace heddle::HEDDLE_ABI::trace

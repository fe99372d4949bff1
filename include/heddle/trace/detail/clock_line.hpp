#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace trace::detail {

/// A multiprocessor's clock and the GPU's timer, read one after the other.
struct anchor {
  int sm;
  long long ticks;          // since a reading of this multiprocessor
  unsigned long long time;  // nanoseconds
};

/// The step of the timer: all readings are this far apart, or a multiple of it.
inline double timer_step(const std::vector<anchor>& all) {
  constexpr unsigned long long most = 1024;  // no GPU's timer has longer steps
  unsigned long long step = 0;
  const auto begin = all.front().time;
  for (const anchor& each : all) step = std::gcd(step, each.time > begin ? each.time - begin : begin - each.time);
  return static_cast<double>(step == 0 ? most : (std::min)(step, most));
}

/// Lines from the clocks of multiprocessors to the timer. Clusters of multiprocessors may run at frequencies of their
/// own, and these change: on an H200 clusters differ by up to 0.4 %, which is 10 us in a launch of 2.4 ms.
///
/// So each multiprocessor has its own line, with a knot at a reading wherever 256 steps of the timer have passed. A
/// reading of the timer is up to a step late: within the readings, times are about a step off.
class clock_lines {
 public:
  /// Fits lines to the anchors of one launch. Times count from `origin`. Readings within 256 steps give a slope that is
  /// off by a percent and more: such a multiprocessor takes its slope in `usual`, or the mean of this launch.
  clock_lines(const std::vector<anchor>& anchors, unsigned long long origin, double step, const clock_lines* usual) {
    std::map<int, std::vector<point>> readings;  // by multiprocessor
    for (const anchor& each : anchors) {
      const auto time = static_cast<double>(static_cast<long long>(each.time - origin));
      readings[each.sm].push_back({static_cast<double>(each.ticks), time + step / 2});
    }
    for (auto& [sm, all] : readings) {
      std::sort(all.begin(), all.end(), [](point one, point other) { return one.ticks < other.ticks; });
      all_.ticks += all.back().ticks - all.front().ticks;
      all_.time += all.back().time - all.front().time;
    }
    for (const auto& [sm, all] : readings) {
      std::vector<point>& line = lines_[sm] = {all.front()};
      for (const point& each : all) {
        if (each.time - line.back().time > 256 * step && each.ticks > line.back().ticks) line.push_back(each);
      }
      if (line.size() > 1) {
        if (all.back().time > line.back().time) line.back() = all.back();
      } else {
        const double slope = usual != nullptr ? usual->slope(sm) : mean();
        line.push_back({line[0].ticks + 1, line[0].time + slope});
      }
      double least = 0, most = 0;  // the first knot is a reading
      for (const point& each : all) {
        const double late = each.time - time_of(sm, each.ticks);
        least = (std::min)(least, late), most = (std::max)(most, late);
      }
      for (point& knot : line) knot.time += (least + most) / 2;
      skew_ = (std::max)({skew_, step, most - least});
    }
  }

  /// Returns a time, from the ticks of a multiprocessor that has an anchor.
  double time_of(int sm, double ticks) const {
    const std::vector<point>& line = lines_.at(sm);
    const auto behind = std::upper_bound(line.begin() + 1, line.end() - 1, ticks,
                                         [](double value, const point& knot) { return value < knot.ticks; });
    const point from = behind[-1], to = *behind;
    return from.time + (to.time - from.time) / (to.ticks - from.ticks) * (ticks - from.ticks);
  }

  /// The nanoseconds between the first and the last anchor, over all multiprocessors.
  double time_span() const { return all_.time; }
  double skew() const { return skew_; }

 private:
  struct point {
    double ticks, time;
  };

  double mean() const { return all_.ticks > 0 && all_.time > 0 ? all_.time / all_.ticks : 1; }
  double slope(int sm) const {
    const auto found = lines_.find(sm);
    if (found == lines_.end()) return mean();
    const point first = found->second.front(), last = found->second.back();
    return (last.time - first.time) / (last.ticks - first.ticks);
  }

  std::map<int, std::vector<point>> lines_;  // knots
  point all_{0, 0};                          // between first and last anchors, over all multiprocessors
  double skew_ = 0;
};

/// Fits the lines of each launch. Short launches take the slopes of the longest.
inline std::vector<clock_lines> lines_of_launches(const std::vector<std::vector<anchor>>& launches,
                                                  unsigned long long origin, double step) {
  std::vector<clock_lines> lines;
  for (const std::vector<anchor>& each : launches) lines.emplace_back(each, origin, step, nullptr);
  const auto longest = std::max_element(lines.begin(), lines.end(), [](const auto& one, const auto& other) {
    return one.time_span() < other.time_span();
  });
  const clock_lines usual = *longest;
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = clock_lines(launches[i], origin, step, &usual);
  return lines;
}

}}}  // namespace heddle::HEDDLE_ABI::trace::detail

#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI::trace::detail {

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

/// Lines from the clocks of multiprocessors to the timer, all of one slope: the multiprocessors run at one frequency.
///
/// A reading of the timer is up to a step late. All readings of one multiprocessor bound its line from both sides, and
/// the line is in the middle.
class clock_lines {
 public:
  /// Fits lines to the anchors of one launch. Times count from `origin`. A launch of few steps has a slope of its own
  /// that is off by a percent and more: it takes `usual`, in nanoseconds per tick, unless that is 0.
  clock_lines(const std::vector<anchor>& anchors, unsigned long long origin, double step, double usual)
      : slope_(usual > 0 ? usual : 1) {
    for (const anchor& each : anchors) lines_.try_emplace(each.sm);
    double ticks = 0, time = 0;
    for (const auto& [sm, of_zero] : lines_) {
      const anchor *first = nullptr, *last = nullptr;
      for (const anchor& each : anchors) {
        if (each.sm != sm) continue;
        if (first == nullptr || each.ticks < first->ticks) first = &each;
        if (last == nullptr || each.ticks > last->ticks) last = &each;
      }
      ticks += static_cast<double>(last->ticks - first->ticks);
      time += static_cast<double>(static_cast<long long>(last->time - first->time));
    }
    time_span_ = time;
    const bool is_long = time > 256 * step * static_cast<double>(lines_.size());
    if (ticks > 0 && time > 0 && (is_long || usual == 0)) slope_ = time / ticks;

    std::map<int, std::pair<double, double>> bounds;
    for (const anchor& each : anchors) {
      const double of_zero =
          static_cast<double>(static_cast<long long>(each.time - origin)) - slope_ * static_cast<double>(each.ticks);
      const auto [at, is_new] = bounds.try_emplace(each.sm, of_zero, of_zero);
      if (!is_new) at->second = {(std::min)(at->second.first, of_zero), (std::max)(at->second.second, of_zero)};
    }
    for (const auto& [sm, range] : bounds) {
      lines_.at(sm) = (range.first + range.second + step) / 2;
      skew_ = (std::max)(skew_, (std::max)(step, range.second - range.first));
    }
  }

  /// Returns a time, from the ticks of a multiprocessor that has an anchor.
  double time_of(int sm, long long ticks) const { return lines_.at(sm) + slope_ * static_cast<double>(ticks); }

  /// The nanoseconds between the first and the last anchor, over all multiprocessors.
  double time_span() const { return time_span_; }
  double slope() const { return slope_; }
  double skew() const { return skew_; }

 private:
  std::map<int, double> lines_;  // the time at 0 ticks
  double slope_, skew_ = 0, time_span_ = 0;
};

/// Fits the lines of each launch. Short launches take the slope of the longest.
inline std::vector<clock_lines> lines_of_launches(const std::vector<std::vector<anchor>>& launches,
                                                  unsigned long long origin, double step) {
  double usual = 0, longest = 0;
  for (const std::vector<anchor>& each : launches) {
    const clock_lines own(each, origin, step, 0);
    if (own.time_span() > longest) usual = own.slope();
    longest = (std::max)(longest, own.time_span());
  }
  std::vector<clock_lines> lines;
  for (const std::vector<anchor>& each : launches) lines.emplace_back(each, origin, step, usual);
  return lines;
}

}  // namespace heddle::inline HEDDLE_ABI::trace::detail

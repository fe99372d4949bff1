#pragma once

#include <algorithm>
#include <cmath>

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// The spread of times about their means, as a share: one figure for all candidates of a key.
class time_spread {
 public:
  /// Returns the standard deviation.
  double share() const { return std::sqrt(square_); }

  /// Returns how far off its mean a time must be to be odd, as a logarithm: an outlier, or a launch that has changed.
  double odd(double deviations) const { return deviations * share() + 0.05; }

  /// Adds how far a time is off the mean of `others` times, as a logarithm.
  void add(double off, int others) {
    const double square = off * off * others / (others + 1);
    weight_ = (std::min)(weight_ + 1, 100.0);
    square_ = (std::max)(square_ + (square - square_) / weight_, least * least);
  }

 private:
  static constexpr double least = 0.002, first = 0.05;
  double square_ = first * first;  // counts as two times until there are others
  double weight_ = 2;
};

/// The mean time of a launch, by samples that come one after another. An odd sample is clamped to the distance from
/// which on samples are odd. Odd samples in a row on one side say that the launch has changed: the mean begins again
/// with them.
class sampled_time {
 public:
  double mean() const { return mean_; }
  /// Returns the number of samples that the mean is worth.
  int count() const { return count_; }
  /// Returns whether the last sample was odd, and needs others to be believed.
  bool is_odd() const { return odds_ > 0; }
  /// Returns what the next launch may take: after odd samples that were longer, their mean; after one that was shorter,
  /// the geometric mean of it and the others.
  double feared() const {
    if (odds_ == 0) return mean_;
    const double odd = odd_ / odds_;
    return odd > mean_ ? odd : std::sqrt(odd * mean_);
  }

  /// Adds a sample to a mean that is worth `most` samples at most. It is odd from so many standard deviations on.
  /// `longer` odd ones in a row above the mean, or two below it, begin it again. Returns what the sample counts as.
  double add(double seconds, time_spread& spread, double deviations, int most, int longer) {
    seconds = std::clamp(seconds, 1e-12, 1e12);  // ratios are finite, on a clock that stands still too
    if (count_ == 0) {
      mean_ = seconds, count_ = 1;
      return seconds;
    }
    const double off = std::log(seconds / mean_), limit = spread.odd(deviations);
    const double counted = mean_ * std::exp(std::clamp(off, -limit, limit));
    spread.add(std::clamp(off, -limit, limit), count_);
    if (std::abs(off) > limit) {
      if (odds_ > 0 && (odd_ > mean_ * odds_) != (seconds > mean_)) odd_ = 0, odds_ = 0;
      odd_ += seconds, ++odds_;
      if (odds_ >= (seconds > mean_ ? longer : 2)) {
        const double missing =
            (std::max)(0.0, odd_ - seconds - (odds_ - 1) * counted);  // of those that counted as less
        *this = sampled_time(odd_ / odds_, 1);
        return seconds + missing;
      }
    } else {
      odd_ = 0, odds_ = 0;
    }
    count_ = (std::min)(count_ + 1, most);
    mean_ += (counted - mean_) / count_;
    return counted;
  }

  /// Makes the mean worth `most` samples at most, so that new ones move it.
  void forget(int most) { count_ = (std::min)(count_, most); }

  sampled_time() = default;
  sampled_time(double mean, int count) : mean_(mean), count_(count) {}

 private:
  double mean_ = 0;
  int count_ = 0;
  double odd_ = 0;  // the sum of the last samples, as far as they are odd and on one side
  int odds_ = 0;
};

}}}  // namespace heddle::HEDDLE_ABI::detail

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <heddle/choose/detail/middle_half.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Compares candidates that are timed in rounds, one burst of each per round. They are numbered in order of prediction;
/// number 0 is the default and runs in every round. What is compared are ratios of bursts of one round, so that drift
/// of the whole card cancels out.
class race {
 public:
  static constexpr int least_rounds = 6, most_rounds = 128;

  race(std::size_t candidates, double tie) : times_(candidates), is_dropped_(candidates), tie_(std::log1p(tie)) {}

  std::size_t size() const { return times_.size(); }
  /// Returns whether the candidate still runs.
  bool runs(std::size_t i) const { return !is_dropped_[i]; }
  const std::vector<double>& times(std::size_t i) const { return times_[i]; }

  /// Adds the time of a launch, as the mean of one burst.
  void add(std::size_t i, double seconds) {
    times_[i].push_back(std::clamp(seconds, 1e-12, 1e12));  // ratios are finite, on a clock that stands still too
  }

  /// Drops the candidates that are slower than another by more than a tie, beyond doubt. Returns whether the choice is
  /// clear: the first of those that are not, and no other is faster by more than a tie, beyond doubt.
  bool settle() {
    std::vector<bool> is_slower(size());
    for (std::size_t i = 0; i < size(); ++i) is_slower[i] = !runs(i) || is_slower_than_one(i, -sure);
    for (std::size_t i = 1; i < size(); ++i) is_dropped_[i] = is_slower[i];
    for (std::size_t i = 0; i < size(); ++i) {
      if (!is_slower[i]) return !is_slower_than_one(i, sure);
    }
    return false;
  }

  /// Returns the choice by what was timed until now: the first candidate that is faster than the default, or the
  /// default itself, and not slower than another by more than a tie and by more than the noise.
  std::size_t chosen() const {
    for (std::size_t i = 0; i < size(); ++i) {
      bool is_chosen = runs(i) && (i == 0 || over(i, 0).mean < 0);
      for (std::size_t j = 0; j < size() && is_chosen; ++j) is_chosen = !runs(j) || over(i, j).mean <= noise(i, j);
      if (is_chosen) return i;
    }
    return 0;
  }

  /// Returns the least share by which the time of i had to differ from those of others.
  double noise_of(std::size_t i) const {
    double greatest = tie_;
    for (std::size_t j = 0; j < size(); ++j) {
      if (runs(j)) greatest = (std::max)(greatest, noise(i, j));
    }
    return std::expm1(greatest);
  }

  /// Returns the time of i as if it had run at the same moments as the default.
  double seconds(std::size_t i) const {
    std::vector<double> logs;
    for (const double each : times_[0]) logs.push_back(std::log(each));
    return std::exp(middle_half(logs).mean + (i == 0 ? 0 : over(i, 0).mean));
  }

 private:
  static constexpr double sure = 3, likely = 2;  // standard errors

  /// Estimates log(time of i / time of j) by the rounds in which both ran.
  estimate over(std::size_t i, std::size_t j) const {
    std::vector<double> ratios;
    for (std::size_t r = 0; r < times_[i].size() && r < times_[j].size(); ++r) {
      ratios.push_back(std::log(times_[i][r] / times_[j][r]));
    }
    return middle_half(ratios);
  }
  double noise(std::size_t i, std::size_t j) const {
    return i == j ? tie_ : (std::max)(tie_, over(i, j).reach(likely));
  }

  /// Returns whether i is slower than a candidate that runs by more than a tie, where its time is taken to be `errors`
  /// standard errors above what was measured.
  bool is_slower_than_one(std::size_t i, double errors) const {
    for (std::size_t j = 0; j < size(); ++j) {
      if (j == i || !runs(j)) continue;
      const estimate ratio = over(i, j);
      if (ratio.mean + ratio.reach(errors) > tie_) return true;
    }
    return false;
  }

  std::vector<std::vector<double>> times_;  // per candidate, seconds of a launch in each round
  std::vector<bool> is_dropped_;
  double tie_;  // as a logarithm
};

}}}  // namespace heddle::HEDDLE_ABI::detail

#pragma once

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <heddle/choose/choose.hpp>

namespace heddle_test {

/// A card whose kernels take times that are known, and whose clock sees them through drift, noise and outliers.
struct simulated_card {
  std::vector<double> seconds;   // of each kernel, in truth
  double spread = 0;             // of bursts, as a share: a standard deviation
  double outliers = 0;           // share of bursts that take 5 to 50 % more
  double drift = 0;              // by which all slows down as the card warms up, as a share
  double wave = 0;               // by which all becomes slower and faster again, as a share
  std::vector<int> errors = {};  // of the kernels; 0 is none
  std::mt19937_64 random{1};
  double now = 0;  // seconds since the start
  int launched = -1, launches = 0, bursts = 0;
  double rested = 0;

  int run(int which) {
    launched = which;
    ++launches;
    return errors.empty() ? 0 : errors[static_cast<std::size_t>(which)];
  }

  template <class Launch>
  heddle::timed_burst<int> burst(int launches_in_burst, const Launch& launch) {
    ++bursts;
    for (int i = 0; i < launches_in_burst; ++i) {
      if (const int error = launch(); error != 0) return {0, error};
    }
    double factor = 1 + drift * (1 - std::exp(-now / 0.1)) + wave * std::sin(2 * std::numbers::pi * now / 0.3);
    factor *= std::exp(std::normal_distribution<>(0, spread > 0 ? spread : 1e-12)(random));
    if (std::uniform_real_distribution<>(0, 1)(random) < outliers) {
      factor *= std::uniform_real_distribution<>(1.05, 1.5)(random);
    }
    const double passed = launches_in_burst * seconds[static_cast<std::size_t>(launched)] * factor;
    now += passed;
    return {passed, 0};
  }

  void rest(double seconds_of_rest) {
    now += seconds_of_rest;
    rested += seconds_of_rest;
  }
};

}  // namespace heddle_test

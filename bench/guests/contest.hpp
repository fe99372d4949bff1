#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <cutlass/cutlass.h>

#include "common/options.hpp"
#include "common/timing.hpp"

// Ways to make one product, or one pass of attention, timed in turns.

namespace guests {

using heddle_bench::event_timer;
using heddle_bench::median;

/// A way to make it, with its times.
struct contestant {
  std::string by;
  std::function<cutlass::Status(cudaStream_t)> launch;
  std::vector<double> ms = {};
};

/// Times launches in a row, in milliseconds of each. The device then rests as long.
inline double time_of(const contestant& one, int launches, event_timer& timer) {
  const double each = timer.milliseconds_of_each(launches, [&] {
    if (one.launch(nullptr) != cutlass::Status::kSuccess) heddle_bench::refuse(one.by + ": it cannot be launched");
  });
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(each * launches));
  return each;
}

/// Times all in turns, to and fro, so that each burst takes two milliseconds at least.
inline void run(std::vector<contestant>& all, int rounds) {
  event_timer timer;
  for (const contestant& each : all) time_of(each, 1, timer);  // loads the code
  const int launches = std::max(1, static_cast<int>(std::ceil(2 / time_of(all.front(), 3, timer))));
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      contestant& each = all[round % 2 == 0 ? i : all.size() - 1 - i];
      each.ms.push_back(time_of(each, launches, timer));
    }
  }
}

/// Geometric means of ratios by name.
class means {
 public:
  void add(const std::string& name, double ratio) {
    auto& [count, sum, least] = all_[name];
    ++count, sum += std::log(ratio), least = count == 1 ? ratio : std::min(least, ratio);
  }
  void print() const {
    for (const auto& [name, one] : all_) {
      std::printf("%-44s mean %.4f  least %.4f\n", name.c_str(), std::exp(one.sum / one.count), one.least);
    }
  }

 private:
  struct sum_of_logarithms {
    int count = 0;
    double sum = 0, least = 0;
  };
  std::map<std::string, sum_of_logarithms> all_;
};

/// Returns the fastest of [begin, end).
inline std::size_t fastest(const std::vector<contestant>& all, std::size_t begin, std::size_t end) {
  std::size_t best = begin;
  for (std::size_t at = begin; at < end; ++at) best = median(all[at].ms) < median(all[best].ms) ? at : best;
  return best;
}

}  // namespace guests

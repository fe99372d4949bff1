// Lines from the clocks of multiprocessors to the GPU's timer, for readings that are made up.

#include <heddle/trace/detail/clock_line.hpp>

#include "test.hpp"

using namespace heddle::trace::detail;

namespace {

/// Readings of two multiprocessors at the begin and the end of a launch, in steps of 32 ns.
std::vector<anchor> launch(long long nanoseconds, double ticks_per_nanosecond) {
  const auto ticks = static_cast<long long>(static_cast<double>(nanoseconds) * ticks_per_nanosecond);
  const auto end = static_cast<unsigned long long>(1000 * 32 + nanoseconds);
  return {{0, 0, 1000 * 32}, {0, ticks, end}, {7, 0, 1000 * 32}, {7, ticks, end}};
}

/// Nanoseconds per tick.
double slope_of(const clock_lines& lines) {
  return lines.time_of(7, 64) - lines.time_of(7, 63);
}

/// Multiprocessors whose frequency, in ticks per nanosecond, is a function of the time.
class chip {
 public:
  static constexpr double length = 1 << 20;
  static constexpr int processors = 6;

  /// `gap` is the nanoseconds between two readings of a multiprocessor.
  chip(double (*frequency)(int sm, double nanoseconds), double gap) : frequency_(frequency), gap_(gap) {
    for (int sm = 0; sm < processors; ++sm) {
      std::vector<double>& ticks = ticks_.emplace_back(1);
      for (double at = stride / 2; at < length; at += stride)
        ticks.push_back(ticks.back() + stride * frequency(sm, at));
    }
  }

  /// Returns the ticks at a time.
  double ticks_at(int sm, double time) const {
    const auto strides = static_cast<std::size_t>(time / stride);
    const double at = stride * static_cast<double>(strides);
    return ticks_[static_cast<std::size_t>(sm)][strides] + (time - at) * frequency_(sm, (at + time) / 2);
  }

  /// Returns the readings of a launch, of a timer with steps.
  std::vector<anchor> readings(double step) const {
    std::vector<anchor> all;
    for (int sm = 0; sm < processors; ++sm) {
      for (double time = 131.0 * sm; time <= length; time += gap_) {
        all.push_back({sm, std::llround(ticks_at(sm, time)),
                       static_cast<unsigned long long>(time / step) * static_cast<unsigned long long>(step)});
      }
    }
    return all;
  }

 private:
  static constexpr double stride = 64;  // nanoseconds of one frequency
  double (*frequency_)(int sm, double nanoseconds);
  double gap_;
  std::vector<std::vector<double>> ticks_;  // of each multiprocessor, after each stride
};

}  // namespace

TEST_CASE("Times of multiprocessors are within the skew of the true ones whatever their clocks do", "[trace]") {
  constexpr double ends = chip::length - 1024;
  struct {
    chip of;
    double most;  // steps of 32 ns of skew
  } const chips[] = {
      {{[](int, double) { return 1.98; }, ends}, 1},
      {{[](int sm, double) { return 1.98 * (1 + 0.002 * (sm % 3)); }, ends}, 1},          // clusters
      {{[](int sm, double) { return 1.98 * (1 + 0.002 * (sm % 3)); }, 3000}, 3},          // seen often
      {{[](int, double t) { return 1.98 - 0.2 * t / chip::length; }, 3000}, 3},           // a drift
      {{[](int, double t) { return t < chip::length / 3 ? 1.98 : 1.2; }, 500}, 64},       // two slopes
      {{[](int sm, double t) { return 1.5 + 0.2 * std::sin(t / 1e5 + sm); }, 1000}, 16},  // waves of its own
  };
  for (const auto& [each, most] : chips) {
    for (const double step : {1.0, 32.0, 1024.0}) {
      CAPTURE(most, step);
      const clock_lines lines = lines_of_launches({each.readings(step)}, 0, step).front();
      CHECK(lines.skew() >= step);
      if (step <= 32) CHECK(lines.skew() <= most * 32);  // longer steps have longer pieces
      double worst = 0;
      for (int sm = 0; sm < chip::processors; ++sm) {
        for (double time = 131.0 * sm; time < ends; time += 1777) {
          worst = std::max(worst, std::abs(lines.time_of(sm, each.ticks_at(sm, time)) - time));
        }
      }
      CHECK(worst <= lines.skew());
    }
  }
}

TEST_CASE("A launch of fewer than 256 steps takes the slope of the longest wherever that comes", "[trace]") {
  constexpr long long step = 32;
  for (int longest = 0; longest < 4; ++longest) {
    std::vector<std::vector<anchor>> launches;
    for (int i = 0; i < 4; ++i) {
      // One of 1000 steps with 4 ticks to a nanosecond, one of 300 with 2; short ones whose own slope is far off.
      launches.push_back(i == longest             ? launch(1000 * step, 4)
                         : i == (longest + 1) % 4 ? launch(300 * step, 2)
                         : i == (longest + 2) % 4 ? launch(256 * step, 8)
                                                  : launch(10 * step, 16));
    }
    const std::vector<clock_lines> lines = lines_of_launches(launches, 0, step);
    REQUIRE(lines.size() == 4);
    const auto slope = [&](int after) { return slope_of(lines[static_cast<std::size_t>((longest + after) % 4)]); };
    CHECK(std::abs(slope(0) - 1.0 / 4) < 1e-9);
    CHECK(std::abs(slope(1) - 1.0 / 2) < 1e-9);  // it has enough steps of its own
    CHECK(std::abs(slope(2) - 1.0 / 4) < 1e-9);
    CHECK(std::abs(slope(3) - 1.0 / 4) < 1e-9);
  }
  // One alone has its own, however short.
  CHECK(std::abs(slope_of(lines_of_launches({launch(10 * step, 16)}, 0, step)[0]) - 1.0 / 16) < 1e-9);
}

TEST_CASE("The step of the timer is the greatest that all readings fit, at most 1024 ns", "[trace]") {
  const auto step_of = [](const std::vector<unsigned long long>& times) {
    std::vector<anchor> all;
    for (const auto time : times) all.push_back({0, 0, time});
    return timer_step(all);
  };
  CHECK(step_of({5}) == 1024);
  CHECK(step_of({100, 164, 132}) == 32);
  CHECK(step_of({164, 100, 132}) == 32);  // the first need not be the earliest
  CHECK(step_of({0, 4096}) == 1024);
  CHECK(step_of({0, 1ull << 63}) == 1024);
  CHECK(step_of({~0ull, 0}) == 1024);
  CHECK(step_of({~0ull, 3, 7}) == 4);
}

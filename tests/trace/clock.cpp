// Lines from the clocks of multiprocessors to the GPU's timer, for readings that are made up.

#include <heddle/trace/detail/clock_line.hpp>

#include <cmath>
#include <vector>

#include "test.hpp"

using namespace heddle::trace::detail;

namespace {

/// Readings of two multiprocessors at the begin and the end of a launch, in steps of 32 ns.
std::vector<anchor> launch(long long nanoseconds, double ticks_per_nanosecond) {
  const auto ticks = static_cast<long long>(static_cast<double>(nanoseconds) * ticks_per_nanosecond);
  const auto end = static_cast<unsigned long long>(1000 * 32 + nanoseconds);
  return {{0, 0, 1000 * 32}, {0, ticks, end}, {7, 0, 1000 * 32}, {7, ticks, end}};
}

}  // namespace

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
    const auto slope = [&](int after) { return lines[static_cast<std::size_t>((longest + after) % 4)].slope(); };
    CHECK(std::abs(slope(0) - 1.0 / 4) < 1e-9);
    CHECK(std::abs(slope(1) - 1.0 / 2) < 1e-9);  // it has enough steps of its own
    CHECK(std::abs(slope(2) - 1.0 / 4) < 1e-9);
    CHECK(std::abs(slope(3) - 1.0 / 4) < 1e-9);
  }
  // One alone has its own, however short.
  CHECK(std::abs(lines_of_launches({launch(10 * step, 16)}, 0, step)[0].slope() - 1.0 / 16) < 1e-9);
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

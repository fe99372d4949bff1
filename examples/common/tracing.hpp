#pragma once

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <heddle/draw/trace_timeline.hpp>
#include <heddle/trace.hpp>

#include "measure.hpp"

// Shared by the programs that take --trace FILE.

/// A buffer for a trace with its memory, zeroed.
class trace_memory {
 public:
  explicit trace_memory(const heddle::trace::room& room) : room_(room), memory_(room.bytes()) { memory_.fill(0); }

  heddle::trace::buffer buffer() const { return {room_, memory_.data(), memory_.bytes()}; }

  heddle::trace::report read() const {
    auto [report, error] = heddle::trace::read(buffer(), nullptr);
    check(error);
    return std::move(report);
  }

 private:
  heddle::trace::room room_;
  device_array<char> memory_;
};

/// Launches without a trace and with one in turn, and prints what the trace costs. Each launch returns its error.
template <class Plain, class Traced>
void print_cost_of_trace(int rounds, const Plain& plain, const Traced& traced) {
  const stopwatch watch;
  std::vector<float> without, with;
  const auto time = [&](const auto& launch) {
    watch.start();
    check(launch());
    watch.stop();
    return watch.milliseconds();
  };
  for (int round = -3; round < rounds; ++round) {  // the first ones warm up
    const float one = time(plain), other = time(traced);
    if (round < 0) continue;
    without.push_back(one);
    with.push_back(other);
  }
  const double before = static_cast<double>(median_of(without)), after = static_cast<double>(median_of(with));
  std::printf("  %.4f ms, traced %.4f ms: %+.2f %%\n", before, after, 100 * (after / before - 1));
}

/// Writes a trace to `path`, and the picture of the last launch of `pictured` beside it.
inline void write_trace(const std::string& path, const heddle::trace::chrome_trace& file,
                        const heddle::trace::report& pictured, const std::string& heading) {
  const std::string error = file.write(path);
  if (!error.empty()) throw std::runtime_error(error);
  std::ofstream picture(path + ".svg", std::ios::binary);
  picture << heddle::draw::timeline(
      pictured,
      {.title = "A trace of " + heading, .heading = heading, .launch = static_cast<int>(pictured.launches.size()) - 1});
  if (!picture.flush()) throw std::runtime_error(path + ".svg: the file is not writable");
  std::printf("Trace, for ui.perfetto.dev: %s; its picture: %s.svg\n", path.c_str(), path.c_str());
}

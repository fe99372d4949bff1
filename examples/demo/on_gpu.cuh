#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../common/measure.hpp"
#include "measured.hpp"

// What all measured parts share: times, and the reason if there are none.

namespace demo {

/// Milliseconds of one of three calls, after a rest: the work before decides how fast the clocks are.
inline double time_of(const std::function<void()>& enqueue) {
  const stopwatch watch;
  check(cudaDeviceSynchronize());
  std::this_thread::sleep_for(std::chrono::milliseconds(12));
  enqueue();
  watch.start();
  for (int turn = 0; turn < 3; ++turn) enqueue();
  watch.stop();
  return static_cast<double>(watch.milliseconds()) / 3;
}

/// The median of each contestant. They are measured in turns.
inline std::vector<double> medians_of(const std::vector<std::function<void()>>& contestants) {
  constexpr int rounds = 5;
  std::vector<std::vector<double>> times(contestants.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < contestants.size(); ++i) times[i].push_back(time_of(contestants[i]));
  }
  std::vector<double> medians;
  for (const std::vector<double>& each : times) medians.push_back(median_of(each));
  return medians;
}

constexpr int any_gpu = 0;

/// Returns the rows that `measure` returns, if there is a GPU of this compute capability, or any with code for it; else
/// why there are none.
template <class Measure>
auto on_gpu(int capability, const Measure& measure) -> measurement<typename decltype(measure())::value_type> {
  const gpu_found gpu = find_gpu(capability);
  if (!gpu.why_not.empty()) return {"", gpu.why_not, {}};
  try {
    return {gpu.name, "", measure()};
  } catch (const std::runtime_error& error) {
    cudaGetLastError();  // the next part must not find it
    return {"", std::string("it failed: ") + error.what(), {}};
  }
}

}  // namespace demo

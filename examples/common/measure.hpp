#pragma once

#include <algorithm>

#include "cuda.hpp"

/// Measures the time between two points of a stream.
class stopwatch {
 public:
  stopwatch() {
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
  }
  stopwatch(const stopwatch&) = delete;
  ~stopwatch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  void start(cudaStream_t stream = nullptr) const { check(cudaEventRecord(begin_, stream)); }
  void stop(cudaStream_t stream = nullptr) const { check(cudaEventRecord(end_, stream)); }

  cudaEvent_t end() const { return end_; }

  /// Waits for the end, and returns the time.
  float milliseconds() const {
    float passed = 0;
    check(cudaEventSynchronize(end_));
    check(cudaEventElapsedTime(&passed, begin_, end_));
    return passed;
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

template <class Value>
Value median_of(std::vector<Value> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Returns the median time of `launches` launches, in milliseconds. `launch` returns its error.
template <class Launch>
float median_time(int launches, const Launch& launch) {
  const stopwatch watch;
  std::vector<float> times(static_cast<std::size_t>(launches));
  for (float& milliseconds : times) {
    watch.start();
    check(launch());
    watch.stop();
    milliseconds = watch.milliseconds();
  }
  return median_of(times);
}

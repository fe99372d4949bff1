#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "device.hpp"

// Measures times on the device, and finds their median.

namespace heddle_bench {

/// Times work in the default stream. It does not synchronise before: while the device is busy with earlier work, the
/// host enqueues ahead of it. A launch that failed ends the program.
class event_timer {
 public:
  event_timer() {
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
  }
  event_timer(const event_timer&) = delete;
  ~event_timer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  template <class Work>
  float milliseconds(const Work& work) {
    begin();
    work();
    check(cudaGetLastError());
    end();
    return read();
  }

  /// The same in parts, for work that is enqueued before earlier work has ended. `read` waits for the end.
  void begin() { check(cudaEventRecord(begin_)); }
  void end() { check(cudaEventRecord(end_)); }
  float read() {
    check(cudaEventSynchronize(end_));
    float found = 0;
    check(cudaEventElapsedTime(&found, begin_, end_));
    return found;
  }

  /// Returns the mean time of `times` runs one right after another.
  template <class Work>
  double milliseconds_of_each(int times, const Work& work) {
    const float all_of_them = milliseconds([&] {
      for (int turn = 0; turn < times; ++turn) work();
    });
    return static_cast<double>(all_of_them) / times;
  }

  template <class Work>
  double seconds(const Work& work) {
    return static_cast<double>(milliseconds(work)) * 1e-3;
  }

 private:
  cudaEvent_t begin_, end_;
};

/// Returns the median; of an even number of values, the upper of the two in the middle.
template <class Number>
Number median(std::vector<Number> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace heddle_bench

#pragma once

#include <cuda_runtime.h>
#include <errno.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

// What benchmarks share: memory, time, and the end of a program when CUDA says no.

namespace heddle_bench {

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, cudaGetErrorName(error),
               cudaGetErrorString(error));
  std::exit(1);
}

/// Memory of the device, also for nothing.
template <class Value>
class device_array {
 public:
  explicit device_array(std::size_t size) : size_(size) { check(cudaMalloc(&data_, sizeof(Value) * (size + 1))); }
  device_array(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }

  Value* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return sizeof(Value) * size_; }

 private:
  Value* data_ = nullptr;
  std::size_t size_;
};

/// The time between two points of a stream.
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

  /// Whether its launches failed is for `work` to ask.
  template <class Work>
  float milliseconds(const Work& work) {
    check(cudaEventRecord(begin_));
    work();
    check(cudaEventRecord(end_));
    check(cudaEventSynchronize(end_));
    float found = 0;
    check(cudaEventElapsedTime(&found, begin_, end_));
    return found;
  }

  /// Seconds of work that asks nothing.
  template <class Work>
  double operator()(const Work& work) {
    const float found = milliseconds([&] {
      work();
      check(cudaGetLastError());
    });
    return static_cast<double>(found) * 1e-3;
  }

 private:
  cudaEvent_t begin_, end_;
};

/// Of an even number the upper of the two in the middle.
template <class Number>
Number median(std::vector<Number> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace heddle_bench

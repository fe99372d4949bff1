#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "measured.hpp"

// What all measured parts share: memory, times, and what they say where they cannot be measured.

namespace demo {

inline void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

template <class Value>
class device_array {
 public:
  explicit device_array(std::size_t size) : size_(size) { check(cudaMalloc(&data_, size * sizeof(Value))); }
  explicit device_array(const std::vector<Value>& values) : device_array(values.size()) {
    check(cudaMemcpy(data_, values.data(), size_ * sizeof(Value), cudaMemcpyDefault));
  }
  device_array(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }

  Value* data() const { return data_; }
  std::size_t size() const { return size_; }

  std::vector<Value> values() const {
    std::vector<Value> result(size_);
    check(cudaMemcpy(result.data(), data_, size_ * sizeof(Value), cudaMemcpyDefault));
    return result;
  }

 private:
  Value* data_ = nullptr;
  std::size_t size_;
};

/// Milliseconds of one of three, after a rest: what ran before decides how fast the clocks are.
inline double time_of(const std::function<void()>& enqueue) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  check(cudaDeviceSynchronize());
  std::this_thread::sleep_for(std::chrono::milliseconds(12));
  enqueue();
  check(cudaEventRecord(begin));
  for (int turn = 0; turn < 3; ++turn) enqueue();
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end));
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return static_cast<double>(milliseconds) / 3;
}

/// Medians of all contestants, measured in turns.
inline std::vector<double> medians_of(const std::vector<std::function<void()>>& contestants) {
  constexpr int rounds = 5;
  std::vector<std::vector<double>> times(contestants.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < contestants.size(); ++i) times[i].push_back(time_of(contestants[i]));
  }
  std::vector<double> medians;
  for (std::vector<double>& each : times) {
    std::sort(each.begin(), each.end());
    medians.push_back(each[rounds / 2]);
  }
  return medians;
}

/// The rows that `measure` returns, if there is a Hopper.
template <class Measure>
auto on_hopper(const Measure& measure) -> measurement<typename decltype(measure())::value_type> {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return {"", "there is no CUDA GPU", {}};
  cudaDeviceProp gpu;
  if (cudaGetDeviceProperties(&gpu, 0) != cudaSuccess) return {"", "the GPU does not answer", {}};
  if (gpu.major != 9 || gpu.minor != 0) return {"", std::string(gpu.name) + " is no Hopper", {}};
  try {
    return {gpu.name, "", measure()};
  } catch (const std::runtime_error& error) {
    cudaGetLastError();  // so that the next part does not meet it
    return {"", std::string("it failed: ") + error.what(), {}};
  }
}

}  // namespace demo

#pragma once

#include <benchmark/benchmark.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace heddle_bench {

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// Whether there is a GPU; what it is goes into the context of the figures.
inline bool has_gpu() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    benchmark::AddCustomContext("gpu", "none: GPU benchmarks are skipped");
    return false;
  }
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  benchmark::AddCustomContext("gpu", device.name);
  benchmark::AddCustomContext("multiprocessors", std::to_string(device.multiProcessorCount));
  benchmark::AddCustomContext("l2_bytes", std::to_string(device.l2CacheSize));
  return true;
}

/// Seconds between two points of a stream.
class event_timer {
 public:
  event_timer() {
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
  }
  ~event_timer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  event_timer(const event_timer&) = delete;

  template <class Work>
  double operator()(Work work) {
    check(cudaEventRecord(begin_));
    work();
    check(cudaGetLastError());
    check(cudaEventRecord(end_));
    check(cudaEventSynchronize(end_));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t begin_, end_;
};

}  // namespace heddle_bench

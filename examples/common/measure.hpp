#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

// What the small examples share around their kernels: the end of a program when CUDA says no, and the time.

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// What an example returns where there is no GPU: counted as skipped by ctest.
constexpr int skipped = 77;

inline bool has_gpu() {
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

inline bool has_gpu(const char* name) {
  if (has_gpu()) return true;
  std::printf("%s: no CUDA device here, nothing was run\n", name);
  return false;
}

/// The median of so many launches, in milliseconds. `launch` returns what became of it.
template <class Launch>
float median_time(int launches, const Launch& launch) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times(static_cast<std::size_t>(launches));
  for (float& milliseconds : times) {
    check(cudaEventRecord(begin));
    check(launch());
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    check(cudaEventElapsedTime(&milliseconds, begin, end));
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

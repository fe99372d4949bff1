#pragma once

// Shared by before.cu, after.cu and probe.cu: paths, and a host program that checks and times the kernel.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "../common/measure.hpp"
#include "path.hpp"

/// Launches a kernel 11 times, compares every 97th path with the host and prints the median time.
template <class Launch>
int run(const char* name, Launch launch) try {
  if (!has_gpu(name)) return skipped;

  const unsigned paths = 1 << 22;
  const device_array<unsigned> light(paths, 0);
  const float milliseconds = median_time(11, [&] {
    launch(light.data(), paths);
    return cudaGetLastError();
  });
  const std::vector<unsigned> found = light.read();
  for (unsigned number = 0; number < paths; number += 97) {
    path on = path_of(number);
    for (int bounce = 0; bounce < 8; ++bounce) on = bounced(on);
    if (found[number] == on.light) continue;
    std::printf("%s: path %u has light %u; %u was expected\n", name, number, found[number], on.light);
    return 1;
  }
  std::printf("%s: %.3f ms, right\n", name, static_cast<double>(milliseconds));
  return 0;
} catch (const std::exception& error) {
  return failed(name, error);
}

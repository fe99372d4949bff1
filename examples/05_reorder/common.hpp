#pragma once

// What before.cu and after.cu share: paths, and a host program that checks and times.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "../common/measure.hpp"
#include "path.hpp"

/// Follows paths, compares some with the host and prints the median time.
template <class Launch>
int run(const char* name, Launch launch) {
  if (!has_gpu(name)) return skipped;

  const unsigned paths = 1 << 22;
  unsigned* light = nullptr;
  check(cudaMalloc(&light, sizeof(unsigned) * paths));
  check(cudaMemset(light, 0, sizeof(unsigned) * paths));
  const float milliseconds = median_time(11, [&] {
    launch(light, paths);
    return cudaGetLastError();
  });
  std::vector<unsigned> found(paths);
  check(cudaMemcpy(found.data(), light, sizeof(unsigned) * paths, cudaMemcpyDeviceToHost));
  check(cudaFree(light));
  for (unsigned number = 0; number < paths; number += 97) {
    path on = path_of(number);
    for (int bounce = 0; bounce < 8; ++bounce) on = bounced(on);
    if (found[number] == on.light) continue;
    std::printf("%s: path %u has light %u; %u was expected\n", name, number, found[number], on.light);
    return 1;
  }
  std::printf("%s: %.3f ms, right\n", name, static_cast<double>(milliseconds));
  return 0;
}

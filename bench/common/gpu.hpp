#pragma once

#include <benchmark/benchmark.h>

#include "context.hpp"
#include "device.hpp"

namespace heddle_bench {

/// Whether there is a GPU; what it is goes into the context of the figures.
inline bool has_gpu() {
  for (const fact& each : context()) benchmark::AddCustomContext(each.name, each.value);
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) return true;
  benchmark::AddCustomContext("gpu", "none: GPU benchmarks are skipped");
  return false;
}

}  // namespace heddle_bench

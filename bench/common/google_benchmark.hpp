#pragma once

#include <benchmark/benchmark.h>

#include "context.hpp"
#include "device.hpp"
#include "options.hpp"

// What the benchmarks that are Google Benchmark's do first.

namespace heddle_bench {

/// Google Benchmark reads its options, and gets the context of the figures. An option that it does not know ends the
/// program with 2.
inline void initialize(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) refuse("--help lists the options");
  for (const fact& each : context()) benchmark::AddCustomContext(each.name, each.value);
  if (!has_device()) benchmark::AddCustomContext("gpu", "none: GPU benchmarks are skipped");
}

}  // namespace heddle_bench

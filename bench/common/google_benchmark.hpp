#pragma once

#include <benchmark/benchmark.h>

#include "context.hpp"
#include "device.hpp"
#include "options.hpp"

// The beginning of programs that use Google Benchmark.

namespace heddle_bench {

/// Has Google Benchmark read its options, and gives it the context of the figures. An unknown option ends the program
/// with 2.
inline void initialize(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) refuse("--help lists the options");
  for (const fact& each : context()) benchmark::AddCustomContext(each.name, each.value);
  if (!find_gpu().why_not.empty()) benchmark::AddCustomContext("gpu", "none: GPU benchmarks are skipped");
}

}  // namespace heddle_bench

#pragma once

#include <benchmark/benchmark.h>

#include "bench.hpp"

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

/// Adds a benchmark that sets its times itself, in microseconds.
template <class Run>
benchmark::internal::Benchmark* add_timed(const std::string& name, const Run& run) {
  return benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Unit(benchmark::kMicrosecond);
}

/// Times `enqueue` in every iteration, after one that warms up, and returns the mean in seconds. `prepare` comes before
/// each and is not timed.
template <class Enqueue, class Prepare>
double mean_seconds(benchmark::State& state, const Enqueue& enqueue, const Prepare& prepare) {
  event_timer timer;
  prepare();
  timer.seconds(enqueue);
  double sum = 0;
  for (auto _ : state) {
    prepare();
    const double once = timer.seconds(enqueue);
    state.SetIterationTime(once);
    sum += once;
  }
  return sum / static_cast<double>(state.iterations());
}
template <class Enqueue>
double mean_seconds(benchmark::State& state, const Enqueue& enqueue) {
  return mean_seconds(state, enqueue, [] {});
}

}  // namespace heddle_bench

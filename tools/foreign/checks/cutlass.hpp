#pragma once

// What CUTLASS's schedulers and those built on them include, as a host's compiler reads it, and a count of launches.

#include <heddle/foreign.hpp>

#include <cstdio>
#include <cutlass/detail/helper_macros.hpp>
#define __CUDA_ARCH__ 900
#include <cutlass/cutlass.h>
#undef __CUDA_ARCH__
#include <cutlass/gemm/group_array_problem_shape.hpp>
#include <cutlass/pipeline/pipeline.hpp>

namespace cute {
inline dim3 place_in_cluster() { return simt::now->place_in_cluster(); }
}  // namespace cute
#define block_id_in_cluster place_in_cluster

// What a planner on the host asks of the runtime.
inline int multiprocessors = 132;
cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) { return *value = multiprocessors, cudaSuccess; }

/// Counts launches and those that break a law, and prints the first of these.
struct tally {
  const char* what;
  int launches = 0, wrong = 0;
  long long tiles = 0;

  void add(const heddle::laws::taken_report& found, int rows, int cols) {
    ++launches, tiles += found.tiles;
    if (!found && wrong++ == 0) std::printf("%s, %d x %d: %s\n", what, rows, cols, found.failure.c_str());
  }
  ~tally() { std::printf("%s: %d of %d launches wrong, %lld tiles\n", what, wrong, launches, tiles); }
};

inline int any(int least, int most) {
  return least + int(simt::random() % unsigned(most - least + 1));
}

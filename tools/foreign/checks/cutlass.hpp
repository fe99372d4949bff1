#pragma once

// What CUTLASS's schedulers and those built on them include, as a host's compiler reads it.

#include "tally.hpp"

#include <cutlass/detail/helper_macros.hpp>
#define __CUDA_ARCH__ 900
#include <cutlass/cutlass.h>
#undef __CUDA_ARCH__
#include <cutlass/pipeline/pipeline.hpp>

namespace cute {
inline dim3 place_in_cluster() {
  return simt::now->place_in_cluster();
}
}  // namespace cute
#define block_id_in_cluster place_in_cluster

// What a planner on the host asks of the runtime.
inline int multiprocessors = 132;
cudaError_t cudaGetDevice(int* device) {
  return *device = 0, cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  return *value = multiprocessors, cudaSuccess;
}

#pragma once

#include <cuda_runtime.h>

#include <string>

#include "skip.hpp"
#include "test.hpp"

namespace heddle_test {

inline bool no_gpu() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) return false;
  (void)cudaGetLastError();
  skip("no CUDA device");
  return true;
}

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;  // without Catch2, which is not safe to use from several threads
  INFO(cudaGetErrorString(error));
  FAIL();
}

}  // namespace heddle_test

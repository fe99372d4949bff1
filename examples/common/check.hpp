#pragma once

#include <cuda_runtime.h>

#include <stdexcept>

/// An error of CUDA, with its status.
struct cuda_error : std::runtime_error {
  explicit cuda_error(cudaError_t error) : std::runtime_error(cudaGetErrorString(error)), status(error) {}
  cudaError_t status;
};

inline void check(cudaError_t error) {
  if (error != cudaSuccess) throw cuda_error(error);
}

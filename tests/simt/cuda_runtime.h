#pragma once

// What examples/hopper takes from the runtime, as tests/simt.hpp runs kernels.

#include "cuda.h"

enum cudaError_t { cudaSuccess, cudaErrorInvalidValue, cudaErrorNotSupported };
using cudaStream_t = void*;
enum cudaDriverEntryPointQueryResult {};
inline constexpr int cudaEnableDefault = 0;

inline cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** function, unsigned, int,
                                                    cudaDriverEntryPointQueryResult*) {
  *function = reinterpret_cast<void*>(&cuTensorMapEncodeTiled);
  return cudaSuccess;
}

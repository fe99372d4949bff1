#pragma once

#include <heddle/config.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Allows the kernel this much dynamic shared memory on the current device. It never lowers what was allowed before:
/// another launch of the kernel may need that.
inline cudaError_t opt_in(const void* kernel, decltype(sizeof 0) dynamic_smem) {
  cudaFuncAttributes attributes;
  if (const cudaError_t error = cudaFuncGetAttributes(&attributes, kernel); error != cudaSuccess) return error;
  if (dynamic_smem <= static_cast<decltype(sizeof 0)>(attributes.maxDynamicSharedSizeBytes)) return cudaSuccess;
  if (dynamic_smem > 0x7fffffff) return cudaErrorInvalidValue;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(dynamic_smem));
}

}}}  // namespace heddle::HEDDLE_ABI::detail

#endif

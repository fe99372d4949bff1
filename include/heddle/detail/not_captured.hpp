#pragma once

#include <heddle/config.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Returns an error for a stream that is being captured, on which nothing can be waited for. The capture goes on.
inline cudaError_t not_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t error = cudaStreamIsCapturing(stream, &status);
  if (error != cudaSuccess || status == cudaStreamCaptureStatusNone) return error;
  return cudaErrorStreamCaptureUnsupported;
}

}}}  // namespace heddle::HEDDLE_ABI::detail

#endif

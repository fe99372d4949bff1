#pragma once

#include <heddle/config.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include <utility>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Captures what is enqueued in a stream until `end`, or until the end of its scope: after an exception, too, the
/// stream takes work again.
class stream_capture {
 public:
  explicit stream_capture(cudaStream_t stream)
      : stream_(stream), error_(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal)) {}
  stream_capture(const stream_capture&) = delete;
  stream_capture& operator=(const stream_capture&) = delete;
  ~stream_capture() {
    cudaGraph_t graph = nullptr;
    (void)end(graph);
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
  }

  /// Returns what prevented the capture.
  cudaError_t error() const { return error_; }

  /// Ends the capture, once.
  cudaError_t end(cudaGraph_t& graph) {
    if (error_ != cudaSuccess || stream_ == nullptr) return error_;
    return cudaStreamEndCapture(std::exchange(stream_, nullptr), &graph);
  }

 private:
  cudaStream_t stream_;  // null after the end
  cudaError_t error_;
};

}}}  // namespace heddle::HEDDLE_ABI::detail

#endif

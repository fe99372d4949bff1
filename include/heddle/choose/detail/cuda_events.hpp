#pragma once

#include <heddle/config.hpp>
#include <heddle/detail/not_captured.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include <optional>
#include <utility>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Events of the CUDA runtime for `guarded_calls`. An error that they cause is cleared. One that the caller has not
/// read yet is left: `guarded_calls` asks for it first, and if there is one it does nothing but destroy events.
class cuda_events {
 public:
  using stream = cudaStream_t;
  using event = cudaEvent_t;
  using error = cudaError_t;
  enum class state { waiting, done, lost };

  bool has_error() const { return cudaPeekAtLastError() != cudaSuccess; }
  std::optional<int> device() const {
    int current = 0;
    return is_right(cudaGetDevice(&current)) ? std::optional(current) : std::nullopt;
  }
  bool can_time(stream on) const { return is_right(not_captured(on)); }
  bool make(event& made) const {
    const while_others_capture allowed;
    return is_right(cudaEventCreate(&made));
  }
  void destroy(event made) const {
    const bool was_clean = !has_error();
    if (made != nullptr && cudaEventDestroy(made) != cudaSuccess && was_clean) (void)cudaGetLastError();
  }
  bool record(event made, stream on) const {
    const bool was_clean = !has_error();  // the launch may have left an error
    const bool is = cudaEventRecord(made, on) == cudaSuccess;
    if (!is && was_clean) (void)cudaGetLastError();
    return is;
  }
  /// Asks whether an event has passed: its time, if it has not, would be an error to tools.
  state look(event at) const {
    const cudaError_t found = cudaEventQuery(at);
    return is_right(found) ? state::done : found == cudaErrorNotReady ? state::waiting : state::lost;
  }
  std::optional<double> seconds(event begin, event end) const {
    float milliseconds = 0;
    return is_right(cudaEventElapsedTime(&milliseconds, begin, end)) ? std::optional(1e-3 * milliseconds)
                                                                     : std::nullopt;
  }

  /// Lets this thread look at events while a stream is captured, of this thread or of another.
  class while_others_capture {
   public:
    while_others_capture() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
    while_others_capture(const while_others_capture&) = delete;
    while_others_capture& operator=(const while_others_capture&) = delete;
    ~while_others_capture() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }

   private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
  };

 private:
  /// Returns whether a call was right, before which no error was pending. What it left is cleared.
  static bool is_right(cudaError_t error) {
    if (error != cudaSuccess) (void)cudaGetLastError();
    return error == cudaSuccess;
  }
};

}}}  // namespace heddle::HEDDLE_ABI::detail

#endif

#pragma once

#include <heddle/config.hpp>
#include <heddle/detail/not_captured.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include <optional>
#include <utility>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Events of the CUDA runtime for `guarded_calls`. An error that they cause is cleared, and one that the caller has not
/// read yet is left.
class cuda_events {
 public:
  using stream = cudaStream_t;
  using event = cudaEvent_t;
  using error = cudaError_t;
  enum class state { waiting, done, lost };

  std::optional<int> device() const {
    int current = 0;
    if (cudaPeekAtLastError() != cudaSuccess || cudaGetDevice(&current) != cudaSuccess) return std::nullopt;
    return current;
  }
  bool can_time(stream on) const {
    return is_right([&] { return not_captured(on); });
  }
  bool make(event& made) const {
    const while_others_capture allowed;
    return is_right([&] { return cudaEventCreate(&made); });
  }
  void destroy(event made) const {
    if (made != nullptr) (void)is_right([&] { return cudaEventDestroy(made); });
  }
  bool record(event made, stream on) const {
    return is_right([&] { return cudaEventRecord(made, on); });
  }
  std::pair<state, double> elapsed(event begin, event end) const {
    const while_others_capture allowed;
    float milliseconds = 0;
    cudaError_t found = cudaSuccess;
    (void)is_right([&] { return found = cudaEventQuery(end); });  // no error to tools, as the time of one that waits is
    if (found == cudaErrorNotReady) return {state::waiting, 0};
    (void)is_right([&] { return found = cudaEventElapsedTime(&milliseconds, begin, end); });
    return {found == cudaSuccess ? state::done : state::lost, 1e-3 * milliseconds};
  }

 private:
  template <class Call>
  static bool is_right(const Call& call) {
    const bool was_clean = cudaPeekAtLastError() == cudaSuccess;
    const bool is = call() == cudaSuccess;
    if (!is && was_clean) (void)cudaGetLastError();
    return is;
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
};

}}}  // namespace heddle::HEDDLE_ABI::detail

#endif

#pragma once

#include <heddle/launch/launch_shape.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Two events and memory of the device, and the first error of all that is done with them. After an error it does
/// nothing more. While it lives, this thread may allocate, though another stream is captured.
class stopwatch {
 public:
  explicit stopwatch(cudaStream_t stream) : stream_(stream) {
    note(cudaThreadExchangeStreamCaptureMode(&mode_)) || note(cudaEventCreate(&begin_)) || note(cudaEventCreate(&end_));
  }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;
  ~stopwatch() {
    if (memory_ != nullptr) (void)cudaFree(memory_);
    if (begin_ != nullptr) (void)cudaEventDestroy(begin_);
    if (end_ != nullptr) (void)cudaEventDestroy(end_);
    (void)cudaThreadExchangeStreamCaptureMode(&mode_);
  }

  cudaError_t error() const { return error_; }

  /// Notes an error, and returns whether there is one.
  bool note(cudaError_t error) {
    if (error_ == cudaSuccess) error_ = error;
    return error_ != cudaSuccess;
  }

  /// Allocates zeroed memory of `wanted` bytes, or of half as many until it fits; the error is that of `least` bytes.
  /// Returns how many bytes there are.
  long long allocate(long long wanted, long long least) {
    if (error_ != cudaSuccess) return 0;
    cudaError_t error = cudaMalloc(&memory_, static_cast<decltype(sizeof 0)>(wanted));
    while (error == cudaErrorMemoryAllocation && wanted / 2 >= least) {
      (void)cudaGetLastError();
      wanted /= 2;
      error = cudaMalloc(&memory_, static_cast<decltype(sizeof 0)>(wanted));
    }
    if (note(error) || note(cudaMemsetAsync(memory_, 0, static_cast<decltype(sizeof 0)>(wanted), stream_))) return 0;
    return wanted;
  }
  char* memory() const { return static_cast<char*>(memory_); }

  /// Enqueues a kernel of `blocks` blocks.
  template <class... Params, class... Args>
  cudaError_t start(void (*kernel)(Params...), int blocks, int threads, Args... args) const {
    return launch(all_of(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(threads)), 0,
                         static_cast<unsigned>(blocks), 1),
                  stream_, kernel, args...);
  }

  /// Returns the shortest of four times, in seconds, of what `enqueue` enqueues, after one that does not count.
  template <class Enqueue>
  double seconds(const Enqueue& enqueue) {
    double best = 0;
    for (int turn = 0; turn < 5 && error_ == cudaSuccess; ++turn) {
      float milliseconds = 0;
      if (note(cudaEventRecord(begin_, stream_)) || note(enqueue()) || note(cudaEventRecord(end_, stream_)) ||
          note(cudaEventSynchronize(end_)) || note(cudaEventElapsedTime(&milliseconds, begin_, end_))) {
        break;
      }
      if (turn == 1 || (turn > 1 && 1e-3 * milliseconds < best)) best = 1e-3 * milliseconds;
    }
    return best;
  }

 private:
  cudaStream_t stream_;
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  // and later the one before
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  void* memory_ = nullptr;
  cudaError_t error_ = cudaSuccess;
};

}}}  // namespace heddle::HEDDLE_ABI::detail

#endif

#pragma once

#include <heddle/choose/choose.hpp>
#include <heddle/choose/detail/stream_capture.hpp>
#include <heddle/detail/not_captured.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include <chrono>
#include <thread>

namespace heddle { inline namespace HEDDLE_ABI {

/// A clock for `choose`: times bursts of launches on a CUDA stream by events.
///
/// **Preconditions**: the stream belongs to the current device, and is not being captured.
///
/// **Effects**: makes two events, and allocates no device memory. `burst` waits for the stream.
///
/// With `in_graphs`, launches of a burst are captured in a graph, so that short ones are not timed at the pace of the
/// host. Enqueue them in `stream()`, which is then a stream of the clock's own.
///
/// **Example** (tests/gpu/choose.cu):
///
///     event_clock clock(on);
///     const auto [seconds, error] = clock.burst(10, [&] { return spin_for(100'000, on); });
class event_clock {
 public:
  /// Makes a clock for a stream.
  explicit event_clock(cudaStream_t stream, bool in_graphs = false) : stream_(stream) {
    error_ = detail::not_captured(stream);
    if (error_ == cudaSuccess) error_ = cudaEventCreate(&begin_);
    if (error_ == cudaSuccess) error_ = cudaEventCreate(&end_);
    if (error_ == cudaSuccess && in_graphs) error_ = cudaStreamCreateWithFlags(&captured_, cudaStreamNonBlocking);
  }
  event_clock(const event_clock&) = delete;
  event_clock& operator=(const event_clock&) = delete;
  ~event_clock() {
    if (begin_ != nullptr) (void)cudaEventDestroy(begin_);
    if (end_ != nullptr) (void)cudaEventDestroy(end_);
    if (captured_ != nullptr) (void)cudaStreamDestroy(captured_);
  }

  /// Returns what prevented the clock; `burst` then launches nothing and returns it.
  cudaError_t error() const { return error_; }

  /// Returns the stream in which launches are to be enqueued.
  cudaStream_t stream() const { return captured_ != nullptr ? captured_ : stream_; }

  /// Times launches on the stream, and waits for them. Several launches follow one that is not timed, so that the
  /// stream is busy when they begin.
  template <class Launch>
  timed_burst<cudaError_t> burst(int launches, const Launch& launch) {
    if (error_ != cudaSuccess) return {0, error_};
    cudaError_t error = cudaSuccess;
    const auto failed = [&](cudaError_t next) {
      if (error == cudaSuccess) error = next;
      return error != cudaSuccess;
    };
    const auto all = [&] {
      for (int i = 0; i < launches && error == cudaSuccess; ++i) failed(launch());
    };
    const bool by_graph = captured_ != nullptr && launches > 1;
    const cudaStream_t on = by_graph ? stream_ : stream();
    cudaGraphExec_t graph = nullptr;
    if (by_graph) {
      graph = captured(all, failed);
    } else if (launches > 1) {
      failed(launch());
    }
    if (error == cudaSuccess) failed(cudaEventRecord(begin_, on));
    if (error == cudaSuccess && by_graph) failed(cudaGraphLaunch(graph, on));
    if (!by_graph) all();
    failed(cudaEventRecord(end_, on));
    failed(cudaStreamSynchronize(on));
    float milliseconds = 0;
    if (error == cudaSuccess) failed(cudaEventElapsedTime(&milliseconds, begin_, end_));
    if (graph != nullptr) (void)cudaGraphExecDestroy(graph);
    if (error == cudaSuccess) return {milliseconds * 1e-3, cudaSuccess};
    (void)cudaGetLastError();  // a launch that was refused must not look like an error of the next
    return {0, error};
  }

  /// Leaves the device idle.
  void rest(double seconds) {
    if (seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }

 private:
  /// Returns a graph of launches, uploaded.
  template <class Launches, class Failed>
  cudaGraphExec_t captured(const Launches& all, const Failed& failed) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    {
      detail::stream_capture capture(captured_);
      if (failed(capture.error())) return nullptr;
      all();
      failed(capture.end(graph));
    }
    if (!failed(cudaSuccess)) {
      (void)(failed(cudaGraphInstantiate(&executable, graph, 0)) || failed(cudaGraphUpload(executable, stream_)));
    }
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
    return executable;
  }

  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  cudaStream_t captured_ = nullptr;  // which launches of a burst are enqueued in, to be captured
  cudaError_t error_ = cudaSuccess;
};

/// Chooses the fastest of the candidates by timing the few that are predicted best on a CUDA stream.
///
/// It does what `choose` with a clock does: the candidate that is predicted best is the default, all take turns, and of
/// candidates whose times differ by no more than the noise, the choice is the one that is predicted best. No answer is
/// slower than the default was beside it.
///
/// **Preconditions**: there is a candidate; each prediction is finite and at least 0; options are in their ranges.
/// Others are refused. The stream belongs to the current device; if it is being captured, the error says so and nothing
/// is launched.
///
/// **Effects**: calls `launch(value, stream)`, which enqueues work and returns its error, some hundred times per
/// candidate, and **synchronises**: it waits for the stream after each burst. It allocates no device memory. Launches
/// must be repeatable, since the results of all but the last are overwritten or added to. A candidate whose launch
/// returns an error is left out, and the next one takes its place.
///
/// **Cost**: some tenths of a second of bursts and rests, no round after the options' budget, and 128 rounds at most.
///
/// **Example** (examples/08_choose/threads.cu):
///
///     const auto launch = [&](int threads, cudaStream_t on) {
///     …
///     const auto found = heddle::choose(candidates, launch, stream, {.most = 5});
///     check(found.error);
template <class Value, class Launch>
choice<Value, cudaError_t> choose(const std::vector<candidate<Value>>& candidates, const Launch& launch,
                                  cudaStream_t stream, const choose_options& options = {}) {
  event_clock clock(stream);
  const auto on_stream = [&](const Value& value) -> cudaError_t {
    return clock.error() == cudaSuccess ? launch(value, stream) : clock.error();
  };
  return choose(candidates, on_stream, clock, options);
}

}}  // namespace heddle::HEDDLE_ABI

#endif

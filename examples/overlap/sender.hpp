#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <heddle/schedule/arrival_gate.hpp>

#include "../common/measure.hpp"
#include "../common/stream.hpp"

namespace overlap {

/// Sends pieces to other ranks by the copy engines, on a stream of its own: no multiprocessor is taken from a product.
class sender {
 public:
  sender() {
    for (cudaEvent_t* event : {&made_, &sent_}) check(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  }
  sender(const sender&) = delete;
  ~sender() {
    for (const cudaEvent_t event : {made_, sent_}) cudaEventDestroy(event);
  }

  cudaStream_t copies() const { return stream_; }

  /// Lets what is sent from now on wait for what `stream` has to do now.
  void wait_for(cudaStream_t stream) const {
    check(cudaEventRecord(made_, stream));
    check(cudaStreamWaitEvent(stream_, made_));
  }

  /// Sends so many pieces, and behind them the number of the turn to each of the receiver's flags.
  void send(void* to, const void* from, std::size_t bytes, const unsigned* turns, const heddle::arrival_gate& receiver,
            int piece, int pieces) const {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_));
    check(cudaMemcpyAsync(receiver.arrived(piece), turns, sizeof *turns * static_cast<unsigned>(pieces),
                          cudaMemcpyDefault, stream_));
  }

  /// Returns the bytes per second, and the seconds besides, of a copy of so many bytes.
  std::pair<double, double> measured(void* to, const void* from, std::size_t bytes) const {
    const stopwatch watch;
    double seconds[2] = {};
    for (const bool is_whole : {true, false, true}) {  // the first copy of all is slower
      watch.start(stream_);
      check(cudaMemcpyAsync(to, from, is_whole ? bytes : 1, cudaMemcpyDefault, stream_));
      watch.stop(stream_);
      seconds[is_whole] = watch.milliseconds() * 1e-3;
    }
    return {static_cast<double>(bytes) / (std::max)(seconds[1] - seconds[0], 1e-9), seconds[0]};
  }

  /// Lets `stream` wait until all is sent.
  void join(cudaStream_t stream) const {
    check(cudaEventRecord(sent_, stream_));
    check(cudaStreamWaitEvent(stream, sent_));
  }

 private:
  ::stream stream_;
  cudaEvent_t made_ = nullptr, sent_ = nullptr;
};

}  // namespace overlap

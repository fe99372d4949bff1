#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include <heddle/schedule/arrival_gate.hpp>

#include "../common/cuda.hpp"

namespace overlap {

/// Sends pieces to other ranks by the copy engines, on a stream of its own: no multiprocessor is taken from a product.
class sender {
 public:
  sender() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (cudaEvent_t* event : {&made_, &sent_}) check(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  }
  sender(const sender&) = delete;
  ~sender() {
    for (const cudaEvent_t event : {made_, sent_}) cudaEventDestroy(event);
    cudaStreamDestroy(stream_);
  }

  cudaStream_t stream() const { return stream_; }

  /// Lets what is sent from now on wait for what `stream` has to do now.
  void wait_for(cudaStream_t stream) const {
    check(cudaEventRecord(made_, stream));
    check(cudaStreamWaitEvent(stream_, made_));
  }

  /// Sends a piece, and behind it the number of the turn to the receiver's flag.
  void send(void* to, const void* from, std::size_t bytes, const unsigned* turn, const heddle::arrival_gate& receiver,
            int piece) const {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_));
    check(cudaMemcpyAsync(receiver.arrived(piece), turn, sizeof *turn, cudaMemcpyDefault, stream_));
  }

  /// Lets `stream` wait until all is sent.
  void join(cudaStream_t stream) const {
    check(cudaEventRecord(sent_, stream_));
    check(cudaStreamWaitEvent(stream, sent_));
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t made_ = nullptr, sent_ = nullptr;
};

}  // namespace overlap

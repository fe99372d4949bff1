#pragma once

#include <cuda_runtime.h>

#include "device.hpp"

namespace heddle_bench {

/// A graph that is captured once.
class captured_graph {
 public:
  /// Captures what `enqueue` puts into the stream that it is given.
  template <class Enqueue>
  explicit captured_graph(const Enqueue& enqueue) {
    cudaStream_t on = nullptr;
    cudaGraph_t graph = nullptr;
    check(cudaStreamCreateWithFlags(&on, cudaStreamNonBlocking));
    check(cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal));
    enqueue(on);
    check(cudaStreamEndCapture(on, &graph));
    check(cudaGraphInstantiate(&executable_, graph, 0));
    check(cudaGraphUpload(executable_, on));
    check(cudaStreamSynchronize(on));
    check(cudaGraphDestroy(graph));
    check(cudaStreamDestroy(on));
  }
  captured_graph(const captured_graph&) = delete;
  ~captured_graph() { cudaGraphExecDestroy(executable_); }

  /// Enqueues a replay in the default stream.
  void replay() const { check(cudaGraphLaunch(executable_, nullptr)); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace heddle_bench

#pragma once

#include <cuda_runtime.h>

#include "cuda.hpp"

/// A stream that does not wait for the default one.
class stream {
 public:
  stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  stream(const stream&) = delete;
  ~stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// What `enqueue` puts into a stream, to be replayed.
class captured_graph {
 public:
  template <class Enqueue>
  captured_graph(cudaStream_t on, const Enqueue& enqueue,
                 cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal) {
    cudaGraph_t graph = nullptr;
    check(cudaStreamBeginCapture(on, mode));
    enqueue();
    check(cudaStreamEndCapture(on, &graph));
    check(cudaGraphGetNodes(graph, nullptr, &nodes_));
    check(cudaGraphInstantiate(&executable_, graph, 0));
    check(cudaGraphDestroy(graph));
  }
  captured_graph(const captured_graph&) = delete;
  ~captured_graph() { cudaGraphExecDestroy(executable_); }

  /// Sends the graph to the device, so that its first replay is as fast as the next.
  void upload(cudaStream_t on) const { check(cudaGraphUpload(executable_, on)); }
  void replay(cudaStream_t on) const { check(cudaGraphLaunch(executable_, on)); }
  std::size_t nodes() const { return nodes_; }

 private:
  cudaGraphExec_t executable_ = nullptr;
  std::size_t nodes_ = 0;
};

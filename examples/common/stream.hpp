#pragma once

#include <cuda_runtime.h>

#include "check.hpp"

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

  /// Captures what `enqueue` puts into the stream that it is given, and sends it to the device.
  template <class Enqueue>
  explicit captured_graph(const Enqueue& enqueue, const stream& on = {}) : captured_graph(on, [&] { enqueue(on); }) {
    upload(on);
    check(cudaStreamSynchronize(on));
  }
  captured_graph(const captured_graph&) = delete;
  ~captured_graph() { cudaGraphExecDestroy(executable_); }

  /// Sends the graph to the device, so that its first replay is as fast as the next.
  void upload(cudaStream_t on) const { check(cudaGraphUpload(executable_, on)); }
  void replay(cudaStream_t on = nullptr) const { check(cudaGraphLaunch(executable_, on)); }
  std::size_t nodes() const { return nodes_; }

 private:
  cudaGraphExec_t executable_ = nullptr;
  std::size_t nodes_ = 0;
};

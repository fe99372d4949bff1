#pragma once

#include <cuda_runtime.h>

#include <utility>

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
    check(cudaStreamBeginCapture(on, mode));
    capture one{on};
    enqueue();
    check(one.end());
    check(cudaGraphGetNodes(one.graph, nullptr, &nodes_));
    check(cudaGraphInstantiate(&executable_, one.graph, 0));
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
  /// Ends with its scope, so that a stream is not left in capture where `enqueue` throws.
  struct capture {
    cudaStream_t on;
    cudaGraph_t graph = nullptr;
    cudaError_t end() { return cudaStreamEndCapture(std::exchange(on, nullptr), &graph); }
    ~capture() {
      if (on != nullptr) end();
      if (graph != nullptr) cudaGraphDestroy(graph);
    }
  };

  cudaGraphExec_t executable_ = nullptr;
  std::size_t nodes_ = 0;
};

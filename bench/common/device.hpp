#pragma once

#include <cuda_runtime.h>
#include <errno.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../../examples/common/card.hpp"

// The device: its memory, and errors of CUDA, which end the program.

namespace heddle_bench {

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, cudaGetErrorName(error),
               cudaGetErrorString(error));
  std::exit(1);
}

/// An array in the device's memory. `size` may be 0.
template <class Value>
class device_array {
 public:
  explicit device_array(std::size_t size) : size_(size) {
    heddle_bench::check(cudaMalloc(&data_, sizeof(Value) * (size + 1)));
  }
  device_array(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }

  Value* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return sizeof(Value) * size_; }

  void set_bytes(int byte) const { heddle_bench::check(cudaMemset(data_, byte, bytes())); }

  /// Copies the first `count` elements from the host.
  void copy_from(const Value* host, std::size_t count) const {
    heddle_bench::check(cudaMemcpy(data_, host, sizeof(Value) * count, cudaMemcpyHostToDevice));
  }

  /// Copies all elements of an array of the same size. Does not wait.
  void copy_from(const device_array& other) const {
    heddle_bench::check(cudaMemcpyAsync(data_, other.data_, bytes(), cudaMemcpyDeviceToDevice));
  }

  /// Returns the first `count` elements, after all earlier work.
  std::vector<Value> to_host(std::size_t count) const {
    std::vector<Value> found(count);
    heddle_bench::check(cudaMemcpy(found.data(), data_, sizeof(Value) * count, cudaMemcpyDeviceToHost));
    return found;
  }

  /// Returns the first element, after all earlier work.
  Value first() const { return to_host(1)[0]; }

 private:
  Value* data_ = nullptr;
  std::size_t size_;
};

}  // namespace heddle_bench

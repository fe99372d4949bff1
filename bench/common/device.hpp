#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "../../examples/common/card.hpp"
#include "../../examples/common/check.hpp"

// The device: its memory, and errors of CUDA.

namespace heddle_bench {

using ::check;

/// An array in the device's memory. `size` may be 0.
template <class Value>
class device_array {
 public:
  explicit device_array(std::size_t size) : size_(size) { check(cudaMalloc(&data_, sizeof(Value) * (size + 1))); }
  device_array(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }

  Value* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return sizeof(Value) * size_; }

  void set_bytes(int byte) const { check(cudaMemset(data_, byte, bytes())); }

  /// Copies the first `count` elements from the host.
  void copy_from(const Value* host, std::size_t count) const {
    check(cudaMemcpy(data_, host, sizeof(Value) * count, cudaMemcpyHostToDevice));
  }

  /// Copies all elements of an array of the same size. Does not wait.
  void copy_from(const device_array& other) const {
    check(cudaMemcpyAsync(data_, other.data_, bytes(), cudaMemcpyDeviceToDevice));
  }

  /// Returns the first `count` elements, after all earlier work.
  std::vector<Value> to_host(std::size_t count) const {
    std::vector<Value> found(count);
    check(cudaMemcpy(found.data(), data_, sizeof(Value) * count, cudaMemcpyDeviceToHost));
    return found;
  }

  /// Returns the first element, after all earlier work.
  Value first() const { return to_host(1)[0]; }

 private:
  Value* data_ = nullptr;
  std::size_t size_;
};

}  // namespace heddle_bench

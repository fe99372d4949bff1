#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <exception>
#include <vector>

#include "card.hpp"
#include "check.hpp"

// Shared by the examples: errors that end one, and device memory that is freed at the end of a scope.

/// Prints why an example failed, and returns its exit code.
inline int failed(const char* program, const std::exception& error) {
  std::fprintf(stderr, "%s: %s\n", program, error.what());
  return 1;
}

/// An array on the device. Its memory is not initialised unless it is filled, or copied from the host.
template <class Value>
class device_array {
 public:
  explicit device_array(std::size_t size) : size_(size) {
    check(cudaMalloc(&data_, sizeof(Value) * (size > 0 ? size : 1)));
  }
  device_array(std::size_t size, int byte) : device_array(size) { fill(byte); }
  device_array(std::size_t size, const Value* from) : device_array(size) { copy_from(from); }
  explicit device_array(const std::vector<Value>& from) : device_array(from.size(), from.data()) {}
  device_array(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }

  Value* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return sizeof(Value) * size_; }

  // Both wait: the runtime's own may return before they have happened, and a stream of one's own need not wait for
  // them.
  void copy_from(const Value* from) const {
    check(cudaMemcpy(data_, from, bytes(), cudaMemcpyHostToDevice));
    check(cudaStreamSynchronize(cudaStreamLegacy));
  }
  void copy_from(const std::vector<Value>& from) const { copy_from(from.data()); }
  void fill(int byte) const {
    check(cudaMemset(data_, byte, bytes()));
    check(cudaStreamSynchronize(cudaStreamLegacy));
  }

  std::vector<Value> read() const {
    std::vector<Value> values(size_);
    check(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t size_;
  Value* data_ = nullptr;
};

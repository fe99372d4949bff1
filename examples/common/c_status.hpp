#pragma once

#include <cuda_runtime.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "cuda.hpp"

// Errors of a C interface: a status per call, and the text of this thread's last error. A library has one interface.

namespace c_status {

constexpr int refused = -1;  // a value that cannot be right. Any other status but 0 is a cudaError_t

inline std::string& last_error() {
  thread_local std::string text;
  return text;
}

/// Keeps the text of an error, and returns its status.
inline int failed(int status, const std::string& text) {
  last_error() = text;
  return status;
}

/// Returns what a pointer of the caller points to, or refuses null.
template <class Value>
Value& given(Value* pointer, const char* name) {
  if (pointer == nullptr) throw std::invalid_argument(std::string(name) + " is null");
  return *pointer;
}

/// Returns the status of `work`, which returns a cudaError_t. An exception must not leave a function of C.
template <class Work>
int caught(const char* name, const Work& work) {
  try {
    const cudaError_t error = work();
    return error == cudaSuccess ? 0 : failed(error, cudaGetErrorString(error));
  } catch (const std::bad_alloc&) {
    return failed(cudaErrorMemoryAllocation, std::string(name) + ": the host has no memory left");
  } catch (const cuda_error& error) {
    return failed(error.status, error.what());
  } catch (const std::exception& error) {
    return failed(refused, error.what());
  }
}

}  // namespace c_status

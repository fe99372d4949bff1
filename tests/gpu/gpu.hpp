#pragma once

#include <cuda_runtime.h>

#include <typeinfo>

#include "skip.hpp"
#include "test.hpp"

// Test cases that skip without a GPU, without one that has thread-block clusters, or without a Hopper. All have the tag
// [gpu].
#define GPU_TEST(name, tags) HEDDLE_TEST_UNLESS(heddle_test::no_gpu(), __COUNTER__, name, "[gpu]" tags)
#define CLUSTER_TEST(name, tags) HEDDLE_TEST_UNLESS(heddle_test::no_clusters(), __COUNTER__, name, "[gpu]" tags)
#define HOPPER_TEST(name, tags) HEDDLE_TEST_UNLESS(heddle_test::no_hopper(), __COUNTER__, name, "[gpu]" tags)
#define HEDDLE_TEST_UNLESS(is_missing, number, name, tags) HEDDLE_NUMBERED_TEST(is_missing, number, name, tags)
#define HEDDLE_NUMBERED_TEST(is_missing, number, name, tags) \
  static void test_##number();                               \
  TEST_CASE(name, tags) {                                    \
    if (!is_missing) test_##number();                        \
  }                                                          \
  static void test_##number()

namespace heddle_test {

inline bool no_gpu() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) return false;
  (void)cudaGetLastError();
  skip("no CUDA device");
  return true;
}

inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;  // without Catch2, which is not safe to use from several threads
  INFO(cudaGetErrorString(error));
  FAIL();
}

/// Thread-block clusters exist from compute capability 9.0.
inline bool no_clusters() {
  if (no_gpu()) return true;
  int major = 0;
  heddle_test::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major >= 9) return false;
  skip("this GPU has no thread-block clusters");
  return true;
}

/// Returns whether the GPU is not a Hopper, and skips the test then: the program is compiled for Hopper.
inline bool no_hopper() {
  if (no_gpu()) return true;
  int major = 0;
  heddle_test::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (major == 9) return false;
  skip("this GPU is not of compute capability 9.0");
  return true;
}

// Both wait: the runtime's own may return before they have happened, and most streams of the tests do not wait for
// them.
inline void to_device(void* to, const void* from, std::size_t bytes) {
  heddle_test::check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
  heddle_test::check(cudaStreamSynchronize(cudaStreamLegacy));
}
inline void set_bytes(void* of, int byte, std::size_t bytes) {
  heddle_test::check(cudaMemset(of, byte, bytes));
  heddle_test::check(cudaStreamSynchronize(cudaStreamLegacy));
}

}  // namespace heddle_test

#pragma once

#include <cuda_runtime.h>

#include <typeinfo>

#include "../../examples/common/cuda.hpp"
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

using ::check;
using ::device_array;

inline bool no_gpu() {
  if (count_gpus() > 0) return false;
  skip("no CUDA device");
  return true;
}

/// Returns whether there is no GPU whose compute capability is `from` to `to`, and skips the test then.
inline bool no_capability(int from, int to, const char* why) {
  if (no_gpu()) return true;
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  if (from <= major && major <= to) return false;
  skip(why);
  return true;
}
inline bool no_clusters() {
  return no_capability(9, 99, "this GPU has no thread-block clusters");
}
/// A program that is compiled for Hopper needs one.
inline bool no_hopper() {
  return no_capability(9, 9, "this GPU is not of compute capability 9.0");
}

// Both wait: the runtime's own may return before they have happened, and most streams of the tests do not wait for
// them.
inline void to_device(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
  check(cudaStreamSynchronize(cudaStreamLegacy));
}
inline void set_bytes(void* of, int byte, std::size_t bytes) {
  check(cudaMemset(of, byte, bytes));
  check(cudaStreamSynchronize(cudaStreamLegacy));
}

}  // namespace heddle_test

#pragma once

#include <cuda_runtime.h>

#include <typeinfo>

#include "../../examples/common/cuda.hpp"
#include "../../examples/common/stream.hpp"
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

using ::captured_graph;
using ::check;
using ::device_array;
using ::stream;

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

/// Waits for a stream, at most ten minutes, which a tool may need. A kernel that does not end fails the whole program:
/// no later test could be trusted.
inline void finish(cudaStream_t stream) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(600);
  cudaError_t state;
  while ((state = cudaStreamQuery(stream)) == cudaErrorNotReady) {
    if (std::chrono::steady_clock::now() > deadline) {
      std::fprintf(stderr, "FAILED: a kernel does not end\n");
      std::_Exit(1);
    }
    std::this_thread::yield();
  }
  check(state);
}

__device__ inline long long now() {
  long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

/// Keeps a stream busy for so long.
static __global__ void pass(long long nanoseconds) {
  for (const long long begin = now(); now() - begin < nanoseconds;) {
  }
}

/// Keeps a multiprocessor busy until it is released, or for this long.
static __global__ void hold(volatile int* started, volatile int* released, long long nanoseconds) {
  if (threadIdx.x != 0) return;
  started[blockIdx.x] = 1;
  for (const long long begin = now(); *released == 0 && now() - begin < nanoseconds;) __nanosleep(1000);
}

/// Flags that host and device see: one to release the blocks of a launch, and one per block that says it has started.
class flags {
 public:
  explicit flags(int blocks) : blocks_(blocks) {
    check(cudaHostAlloc(&data_, sizeof(int) * static_cast<std::size_t>(1 + blocks), cudaHostAllocMapped));
    std::fill_n(data_, 1 + blocks, 0);
  }
  flags(const flags&) = delete;
  ~flags() { cudaFreeHost(data_); }

  volatile int* released() const { return data_; }
  volatile int* started() const { return data_ + 1; }

  void release() const { *released() = 1; }
  void wait_for_all() const {
    for (int block = 0; block < blocks_; ++block) {
      while (started()[block] == 0) std::this_thread::yield();
    }
  }

 private:
  int blocks_;
  int* data_ = nullptr;
};

/// Holds this many multiprocessors as long as it lives: each of its blocks takes all shared memory of one.
class held {
 public:
  explicit held(int processors) : flags_(processors) {
    int all_memory = 0;
    check(cudaDeviceGetAttribute(&all_memory, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    check(cudaFuncSetAttribute(hold, cudaFuncAttributeMaxDynamicSharedMemorySize, all_memory));
    hold<<<processors, 32, all_memory, on_>>>(flags_.started(), flags_.released(), 20'000'000'000);
    check(cudaGetLastError());
    flags_.wait_for_all();
  }
  ~held() {
    flags_.release();
    finish(on_);
  }
  bool still_holds() const { return cudaStreamQuery(on_) == cudaErrorNotReady; }

 private:
  flags flags_;
  stream on_;
};

static __global__ void do_nothing() {}

/// Whether kernels run concurrently here. Under tools that check every access they run one by one, and slowly.
inline bool kernels_overlap() {
  static const bool overlap = [] {
    const flags shared(1);
    stream one, other;
    do_nothing<<<1, 1, 0, other>>>();  // loads the kernel now: later that would wait for running kernels
    finish(other);
    hold<<<1, 1, 0, one>>>(shared.started(), shared.released(), 500'000'000);
    check(cudaGetLastError());
    do_nothing<<<1, 1, 0, other>>>();
    check(cudaGetLastError());
    finish(other);
    const bool beside = cudaStreamQuery(one) == cudaErrorNotReady;
    shared.release();
    finish(one);
    return beside;
  }();
  return overlap;
}

}  // namespace heddle_test

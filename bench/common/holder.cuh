#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "device.hpp"

// Another kernel beside those that are measured.

namespace heddle_bench {

inline constexpr long long longest_hold = 3'000'000'000;  // ns: a kernel that is never released ends by itself

__device__ inline long long globaltimer() {
  long long nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

/// Keeps a multiprocessor per block until it is released. `started` is in the host's memory. `released` is not: blocks
/// that read it again and again over the bus would make all others wait for L2.
template <int = 0>
__global__ void hold(volatile int* started, const volatile int* released, unsigned nap) {
  const long long begin = globaltimer();
  started[blockIdx.x] = 1;
  while (*released == 0 && globaltimer() - begin < longest_hold) __nanosleep(nap);
}

/// Blocks that hold one multiprocessor each: their shared memory leaves no room for another block.
///
/// While they run, nothing may allocate or free memory, load a kernel, or wait for the whole device. Their stream does
/// not wait for the default stream, and has the highest priority: they take the multiprocessors that are free next.
class holder {
 public:
  /// Blocks read the word that releases them after naps of so many nanoseconds.
  explicit holder(unsigned nap) : nap_(nap) {
    int least = 0, greatest = 0, multiprocessors = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest));
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    check(cudaDeviceGetAttribute(&shared_bytes_, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    check(cudaFuncSetAttribute(hold<>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes_));
    check(cudaStreamCreateWithFlags(&control_, cudaStreamNonBlocking));
    check(cudaHostAlloc(&flags_, sizeof(int) * static_cast<std::size_t>(1 + multiprocessors), cudaHostAllocMapped));
    release(0);
    start(1);  // loads the kernel
    wait_for_all();
    stop();
  }
  holder(const holder&) = delete;
  ~holder() {
    stop();
    cudaFreeHost(flags_);
    cudaStreamDestroy(control_);
    cudaStreamDestroy(stream_);
  }

  /// Launches the blocks, and does not wait for them.
  void start(int blocks) {
    std::fill_n(flags(), 1 + blocks, 0);
    blocks_ = blocks;
    began_ = std::chrono::steady_clock::now();
    if (blocks == 0) return;
    hold<><<<static_cast<unsigned>(blocks), 1, static_cast<std::size_t>(shared_bytes_), stream_>>>(
        flags_ + 1, released_.data(), nap_);
    check(cudaGetLastError());
  }

  /// Waits until all blocks run.
  void wait_for_all() {
    for (int i = 1; i <= blocks_; ++i) {
      while (flags()[i] == 0) require_in_time();
    }
  }

  /// Ends the blocks, if they run, and waits for them.
  void stop() {
    if (blocks_ == 0) return;
    release(1);
    check(cudaStreamSynchronize(stream_));
    require_in_time();
    release(0);
    blocks_ = 0;
  }

 private:
  volatile int* flags() const { return flags_; }

  /// Writes the word that the blocks read, by a copy, which needs no multiprocessor.
  void release(int is_released) {
    flags()[0] = is_released;
    check(cudaMemcpyAsync(released_.data(), flags_, sizeof(int), cudaMemcpyHostToDevice, control_));
    check(cudaStreamSynchronize(control_));
  }

  void require_in_time() {
    if (std::chrono::steady_clock::now() - began_ < std::chrono::nanoseconds(longest_hold)) return;
    release(1);
    std::fprintf(stderr, "%s: the other kernel did not hold %d multiprocessors until it was released\n",
                 program_invocation_short_name, blocks_);
    std::exit(1);
  }

  cudaStream_t stream_ = nullptr, control_ = nullptr;
  device_array<int> released_{1};
  unsigned nap_;
  int shared_bytes_ = 0, blocks_ = 0;
  int* flags_ = nullptr;  // what is copied to `released_`, and one per block
  std::chrono::steady_clock::time_point began_;
};

}  // namespace heddle_bench

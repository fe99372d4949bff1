// Compares what limits a kernel with the runtime's own answer, and with kernels made to meet each limit.

#include <heddle/launch/occupancy.hpp>

#include "gpu.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

__global__ void light(int* out) {
  out[threadIdx.x] = 1;
}

/// Keeps many values live at once.
template <int Values>
__device__ void keep(float* data) {
  float values[Values];
#pragma unroll
  for (int i = 0; i < Values; ++i) values[i] = data[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Values; ++i) data[i * 1024 + threadIdx.x] = values[i] * values[(i * 7 + 3) % Values];
}

__global__ void heavy(float* data) {
  keep<100>(data);
}
__global__ void __launch_bounds__(512, 3) squeezed(float* data) {
  keep<100>(data);
}
__global__ void __launch_bounds__(128) enormous(float* data) {
  keep<260>(data);
}

template <class Kernel>
occupancy known(Kernel kernel, int threads, std::size_t smem = 0) {
  const auto [found, error] = occupancy_of(kernel, threads, smem);
  check(error);
  INFO(found.text().c_str());
  int runtime = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&runtime, kernel, threads, smem));
  CHECK(found.blocks_per_sm == runtime);
  CHECK(std::min(std::min(found.most_by_threads, found.most_by_blocks),
                 std::min(found.most_by_shared_memory, found.most_by_registers)) == runtime);
  return found;
}

}  // namespace

GPU_TEST("occupancy agrees with the runtime for every block size and names a limit", "[launch]") {
  for (int threads = 32; threads <= 1024; threads += 32) {
    CAPTURE(threads);
    (void)known(light, threads);
    for (const std::size_t smem : {1000u, 10'000u, 40'000u, 100'000u}) (void)known(light, threads, smem);
    if (threads > 512) continue;
    (void)known(heavy, threads);
    (void)known(squeezed, threads);
  }
}

GPU_TEST("occupancy names the limit that a kernel was made to meet", "[launch]") {
  using limit = occupancy::limit;
  CHECK(known(light, 1024).limited_by == limit::threads);
  CHECK(known(light, 32).limited_by == limit::blocks);
  CHECK(known(light, 64, 48 * 1024).limited_by == limit::shared_memory);
  CHECK(known(heavy, 512).limited_by == limit::registers);
  CHECK(known(heavy, 512).spilled == 0);
  const occupancy by_bounds = known(squeezed, 512);
  CHECK(by_bounds.blocks_per_sm >= 3);
  CHECK(by_bounds.registers <= 40);
  CHECK(by_bounds.spilled > 0);
  const occupancy of_a_thread = known(enormous, 128);
  CHECK(of_a_thread.limited_by == limit::registers_of_a_thread);
  CHECK(of_a_thread.registers == 255);
}

GPU_TEST("occupancy counts waves and says all of it in a line", "[launch]") {
  const occupancy found = known(light, 1024);
  CHECK(found.waves(static_cast<long long>(found.blocks_per_sm) * found.sms) == 1.0);
  CHECK(found.waves(3LL * found.blocks_per_sm * found.sms / 2) > 1.4);
  const std::string text = found.text().c_str();
  CHECK(text.find(" blocks of 1024 threads on each of ") != std::string::npos);
  CHECK(text.find("limited by threads") != std::string::npos);
  CHECK(text.find(" registers, 0 bytes spilled") != std::string::npos);
}

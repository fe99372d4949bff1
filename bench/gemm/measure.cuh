#pragma once

#include <cuda_bf16.h>

#include "common/bench.hpp"
#include "shapes.hpp"

// What the benchmarks of the matrix product share: operands and comparison.

namespace gemm_bench {

using heddle_bench::check;
using heddle_bench::device_array;
using heddle_bench::event_timer;
using heddle_bench::median;

inline std::size_t elements(int rows, int cols) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
}

static __global__ void fill_normal(__nv_bfloat16* data, std::size_t count, unsigned long long seed) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    unsigned long long state = seed + i * 2;
    const auto uniform = [&] {  // splitmix64
      unsigned long long z = ++state * 0x9e3779b97f4a7c15;
      z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
      z = (z ^ z >> 27) * 0x94d049bb133111eb;
      return (static_cast<float>((z ^ z >> 31) >> 40) + 0.5f) / 16777216.0f;
    };
    const float radius = sqrtf(-2 * logf(uniform()));
    data[i] = __float2bfloat16(radius * cosf(6.2831853f * uniform()));
  }
}

/// Adds up |one - other|² and |other|². A NaN counts as wrong.
static __global__ void compare(const __nv_bfloat16* one, const __nv_bfloat16* other, std::size_t count, double* sums) {
  double difference = 0, norm = 0;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const double x = static_cast<double>(__bfloat162float(one[i])), y = static_cast<double>(__bfloat162float(other[i]));
    difference += x == x ? (x - y) * (x - y) : 1e30;
    norm += y * y;
  }
  atomicAdd(&sums[0], difference);
  atomicAdd(&sums[1], norm);
}

/// Returns whether `work` writes all of C, as expected up to rounding.
inline bool is_right(const device_array<__nv_bfloat16>& c, const device_array<__nv_bfloat16>& expected,
                     const std::function<void()>& work) {
  static const device_array<double> sums(2);
  c.set_bytes(0xff);
  sums.set_bytes(0);
  work();
  compare<<<2048, 256>>>(c.data(), expected.data(), c.size(), sums.data());
  const std::vector<double> result = sums.to_host(2);
  return result[0] < 1e-4 * result[1];
}

}  // namespace gemm_bench

// The smallest product on the pieces beside it: checked at ragged extents, and timed at 8192 x 8192 x 8192.

#include "product.cuh"

#include <array>
#include <cmath>
#include <cstdio>

#include "../common/measure.hpp"

namespace {

using hopper::smallest::element;

/// An element of a matrix by its index: bf16 holds it exactly.
__host__ __device__ float value(unsigned i, unsigned seed) {
  unsigned hash = (i + seed) * 2654435761u;
  hash = (hash ^ hash >> 15) * 2246822519u;
  return static_cast<float>(static_cast<int>(hash >> 24) - 128) / 128;
}

__global__ void fill(element* to, unsigned count, unsigned seed) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    to[i] = __float2bfloat16(value(i, seed));
}

std::size_t elements(int rows, int cols) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
}

/// A product of matrices on the device.
struct operands {
  int m, n, k;
  device_array<element> a{elements(m, k)}, b{elements(n, k)}, c{elements(m, n)};

  operands(int rows, int cols, int steps) : m(rows), n(cols), k(steps) {
    fill<<<1024, 256>>>(a.data(), static_cast<unsigned>(a.size()), 1);
    fill<<<1024, 256>>>(b.data(), static_cast<unsigned>(b.size()), 77777);
    c.fill(0xff);  // NaN
  }

  cudaError_t enqueue() const { return hopper::smallest::enqueue(a.data(), b.data(), c.data(), m, n, k, nullptr); }

  /// Compares elements of every tile with their sums on the host.
  bool is_right() const {
    const std::vector<element> found = c.read();
    for (int row = 0; row < m; row += 59) {
      for (int col = row % 7; col < n; col += 97) {
        double sum = 0;
        for (int i = 0; i < k; ++i) {
          const auto at_a = elements(row, k) + static_cast<unsigned>(i),
                     at_b = elements(col, k) + static_cast<unsigned>(i);
          sum += static_cast<double>(value(static_cast<unsigned>(at_a), 1)) * value(static_cast<unsigned>(at_b), 77777);
        }
        const double c_found = __bfloat162float(found[elements(row, n) + static_cast<unsigned>(col)]);
        if (std::abs(c_found - sum) <= 0.01 + std::abs(sum) / 256) continue;
        return std::printf("%d x %d x %d, row %d, column %d: %f instead of %f\n", m, n, k, row, col, c_found, sum),
               false;
      }
    }
    return true;
  }
};

}  // namespace

int main() try {
  if (!has_gpu("hopper_product", hopper_only)) return skipped;
  for (const auto& [m, n, k] : {std::array{1, 8, 8}, {712, 808, 1032}, {4001, 2056, 64}, {128, 256, 4096}}) {
    const operands one(m, n, k);
    check(one.enqueue());
    check(cudaDeviceSynchronize());
    if (!one.is_right()) return 1;
  }
  const operands large(8192, 8192, 8192);
  const float milliseconds = median_time(20, [&] { return large.enqueue(); });
  std::printf("8192 x 8192 x 8192: %.3f ms, %.0f TFLOP/s\n", milliseconds, 2 * std::pow(8192., 3) / milliseconds / 1e9);
  return 0;
} catch (const std::exception& error) {
  return failed("hopper_product", error);
}

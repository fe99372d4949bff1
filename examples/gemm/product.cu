// C = A B in bf16 by a plan, as a user writes it, with a check of the result.

#include <cuda_bf16.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "../common/cuda.hpp"
#include "gemm.hpp"

namespace {

/// Returns a matrix of small whole numbers, which bf16 holds exactly.
std::vector<__nv_bfloat16> matrix(int elements, int seed) {
  std::vector<__nv_bfloat16> values;
  for (int i = 0; i < elements; ++i) values.push_back(__float2bfloat16(static_cast<float>((i * seed + i / 7) % 9 - 4)));
  return values;
}

}  // namespace

int main() try {
  if (!has_gpu("gemm_product")) return skipped;
  const int m = 4001, n = 2056, k = 1000;
  const auto a_values = matrix(m * k, 5), b_values = matrix(n * k, 3);
  const device_array<__nv_bfloat16> a_memory(a_values), b_memory(b_values), c_memory(static_cast<std::size_t>(m) * n);
  __nv_bfloat16 *const a = a_memory.data(), *const b = b_memory.data(), *const c = c_memory.data();

  const gemm::plan plan({.m = m, .n = n, .k = k}, gemm::device::current());
  void* workspace = nullptr;
  check(cudaMalloc(&workspace, plan.workspace_bytes()));
  check(cudaMemset(workspace, 0, plan.workspace_bytes()));  // once, for all products by this plan

  check(gemm::gemm(plan, {.a = a, .lda = k, .b = b, .ldb = k, .c = c, .ldc = n, .workspace = workspace}, nullptr));

  const std::vector<__nv_bfloat16> result = c_memory.read();
  for (int i = 0; i < 1000; ++i) {  // check some elements on the host
    const int row = i * 7919 % m, col = i * 6007 % n;
    float sum = 0;
    for (int at = 0; at < k; ++at) {
      sum += __bfloat162float(a_values[static_cast<std::size_t>(row * k + at)]) *
             __bfloat162float(b_values[static_cast<std::size_t>(col * k + at)]);
    }
    if (__bfloat162float(result[static_cast<std::size_t>(row) * n + static_cast<std::size_t>(col)]) !=
        __bfloat162float(__float2bfloat16(sum))) {
      std::printf("wrong at row %d, column %d\n", row, col);
      return 1;
    }
  }
  std::printf("%d x %d x %d by %s\n", m, n, k, plan.text().c_str());
  check(cudaFree(workspace));
  return 0;
} catch (const std::exception& error) {
  return failed("gemm_product", error);
}

// C = A B in bf16 by a plan: what a user writes, with a look at the result.

#include <cuda_bf16.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gemm.hpp"

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// A matrix of small whole numbers, of which bf16 loses nothing.
std::vector<__nv_bfloat16> matrix(int elements, int seed) {
  std::vector<__nv_bfloat16> values;
  for (int i = 0; i < elements; ++i) values.push_back(__float2bfloat16(static_cast<float>((i * seed + i / 7) % 9 - 4)));
  return values;
}

__nv_bfloat16* on_device(const std::vector<__nv_bfloat16>& values) {
  __nv_bfloat16* memory = nullptr;
  check(cudaMalloc(&memory, values.size() * sizeof values[0]));
  check(cudaMemcpy(memory, values.data(), values.size() * sizeof values[0], cudaMemcpyHostToDevice));
  return memory;
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("gemm_product: no CUDA device\n");
    return 77;
  }
  const int m = 4001, n = 2056, k = 1000;
  const auto a_values = matrix(m * k, 5), b_values = matrix(n * k, 3);
  __nv_bfloat16 *const a = on_device(a_values), *const b = on_device(b_values);
  __nv_bfloat16* const c = on_device(std::vector<__nv_bfloat16>(static_cast<std::size_t>(m) * n));

  const gemm::plan plan({.m = m, .n = n, .k = k}, gemm::device::current());
  void* workspace = nullptr;
  check(cudaMalloc(&workspace, plan.workspace_bytes()));
  check(cudaMemset(workspace, 0, plan.workspace_bytes()));  // once, for all products by this plan

  check(gemm::gemm(plan, {.a = a, .lda = k, .b = b, .ldb = k, .c = c, .ldc = n, .workspace = workspace}, nullptr));

  std::vector<__nv_bfloat16> result(static_cast<std::size_t>(m) * n);
  check(cudaMemcpy(result.data(), c, result.size() * sizeof result[0], cudaMemcpyDeviceToHost));
  for (int i = 0; i < 1000; ++i) {  // some of them, by hand
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
  for (void* memory : {a, b, c}) check(cudaFree(memory));
  return 0;
}

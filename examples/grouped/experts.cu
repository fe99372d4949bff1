// C rows of each expert = A rows of that expert times its B, in bf16 by a plan, as a user writes it: captured in a
// graph once, and replayed with other sizes of the experts. Each result is checked.

#include <cuda_bf16.h>

#include <cstdio>
#include <vector>

#include "../common/cuda.hpp"
#include "grouped.hpp"

namespace {

constexpr int experts = 6, tokens = 1000, n = 520, k = 264;

/// Returns a matrix of small whole numbers, which bf16 holds exactly.
std::vector<__nv_bfloat16> matrix(int elements, int seed) {
  std::vector<__nv_bfloat16> values;
  for (int i = 0; i < elements; ++i) values.push_back(__float2bfloat16(static_cast<float>((i * seed + i / 7) % 9 - 4)));
  return values;
}

/// Checks some elements on the host. B is column by column: k is contiguous.
bool is_right(const std::vector<__nv_bfloat16>& a, const std::vector<__nv_bfloat16>& b,
              const std::vector<__nv_bfloat16>& c, const std::vector<int>& ends) {
  for (int i = 0; i < 1000 && ends.back() > 0; ++i) {
    const int row = i * 7919 % ends.back(), col = i * 6007 % n;
    int expert = 0;
    while (ends[static_cast<std::size_t>(expert)] <= row) ++expert;
    float sum = 0;
    for (int at = 0; at < k; ++at) {
      sum += __bfloat162float(a[static_cast<std::size_t>(row * k + at)]) *
             __bfloat162float(b[static_cast<std::size_t>((expert * n + col) * k + at)]);
    }
    if (__bfloat162float(c[static_cast<std::size_t>(row * n + col)]) != __bfloat162float(__float2bfloat16(sum))) {
      std::printf("wrong at row %d, column %d\n", row, col);
      return false;
    }
  }
  return true;
}

}  // namespace

int main() try {
  if (!has_gpu("grouped_experts", hopper_only)) return skipped;
  const gemm::device device = gemm::device::current();
  const auto a_values = matrix(tokens * k, 5), b_values = matrix(experts * n * k, 3);
  const device_array<__nv_bfloat16> a_memory(a_values), b_memory(b_values), c_memory(std::size_t{tokens} * n);
  const device_array<int> ends_memory(std::size_t{experts});
  __nv_bfloat16 *const a = a_memory.data(), *const b = b_memory.data(), *const c = c_memory.data();
  int* const ends = ends_memory.data();  // the row at which each expert ends

  const grouped::plan plan({.rows = tokens, .groups = experts, .n = n, .k = k}, device);
  void* workspace = nullptr;
  check(cudaMalloc(&workspace, plan.workspace_bytes()));
  check(cudaMemset(workspace, 0, plan.workspace_bytes()));  // once, for all products by this plan

  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  check(grouped::product(plan, {.a = a, .b = b, .ends = ends, .c = c, .workspace = workspace}, stream));
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&executable, graph, 0));

  const std::vector<std::vector<int>> sizes{{100, 300, 300, 301, 665, 1000},
                                            {0, 1000, 1000, 1000, 1000, 1000},
                                            {0, 0, 0, 0, 0, 0},
                                            {1, 64, 128, 129, 130, 999}};
  for (const std::vector<int>& of_replay : sizes) {
    check(cudaMemcpyAsync(ends, of_replay.data(), sizeof(int) * experts, cudaMemcpyHostToDevice, stream));
    check(cudaGraphLaunch(executable, stream));
    check(cudaStreamSynchronize(stream));
    if (!is_right(a_values, b_values, c_memory.read(), of_replay)) return 1;
  }
  std::printf("%d tokens of %d experts, %d x %d, in %zu sizes by %s\n", tokens, experts, n, k, sizes.size(),
              plan.text().c_str());
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
  check(cudaFree(workspace));
  return 0;
} catch (const std::exception& error) {
  return failed("grouped_experts", error);
}

// C = A B in bf16 by a plan, as a user writes it, with a check of the result. With --trace FILE, a Hopper GPU shows
// which block multiplied which tile when.

#include <cuda_bf16.h>

#include <cstdio>
#include <vector>

#include "../common/command_line.hpp"
#include "../common/cuda.hpp"
#include "gemm.hpp"
#include "trace_product.hpp"

namespace {

/// Returns a matrix of small whole numbers, which bf16 holds exactly.
std::vector<__nv_bfloat16> matrix(int elements, int seed) {
  std::vector<__nv_bfloat16> values;
  for (int i = 0; i < elements; ++i) values.push_back(__float2bfloat16(static_cast<float>((i * seed + i / 7) % 9 - 4)));
  return values;
}

struct options {
  std::string trace, schedule = "strided";
  int size = 8192;
};

options parse(int count, char** arguments) {
  using namespace command_line;
  options chosen;
  parse_options(count, arguments, "Multiplies by a plan and checks the result, or writes a trace on a Hopper GPU.\n",
                {{"--trace", "FILE", "multiply N x N x N, and write a trace there", file(chosen.trace)},
                 {"--size", "N", "of the traced product", number(chosen.size, 1, 65536)},
                 {"--schedule", "S", "of the traced product", one_of(chosen.schedule, {"strided", "ticket"})}});
  return chosen;
}

int trace(const options& chosen) {
  if (gemm::device::current().compute_capability != 90) {
    std::printf("gemm_product: traces are of the kernel for Hopper, and this is none\n");
    return skipped;
  }
  const int size = (chosen.size + 7) / 8 * 8;  // Hopper's copies want rows of whole 16 bytes
  const auto elements = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  const auto values = matrix(size, 5);
  std::vector<__nv_bfloat16> all;
  for (int row = 0; row < size; ++row) all.insert(all.end(), values.begin(), values.end());
  const device_array<__nv_bfloat16> a(all), b(all), c(elements);
  std::printf("%d x %d x %d, %s\n", size, size, size, chosen.schedule.c_str());
  gemm::trace_product({.m = size, .n = size, .k = size},
                      {.a = a.data(), .lda = size, .b = b.data(), .ldb = size, .c = c.data(), .ldc = size},
                      chosen.schedule, chosen.trace);
  return 0;
}

}  // namespace

int main(int count, char** arguments) try {
  const options chosen = parse(count, arguments);
  if (!has_gpu("gemm_product")) return skipped;
  if (!chosen.trace.empty()) return trace(chosen);
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

#pragma once

#include "cublas.hpp"
#include "gemm/gemm.hpp"
#include "measure.cuh"

// What bench_gemm compares: ways to enqueue one product, on the same operands.

namespace gemm_bench {

struct contender {
  contender(std::string name_, std::string what_, std::function<void()> work_)
      : name(std::move(name_)), what(std::move(what_)), work(std::move(work_)) {}

  std::string name, what;
  std::function<void()> work;
  std::vector<double> burst, sustained;
};

/// Returns a contender that runs a plan, with the memory it needs.
inline contender by_plan(const std::string& name, const gemm::plan& plan, const gemm::operands& without) {
  auto workspace = std::make_shared<device_array<char>>(plan.workspace_bytes());
  workspace->set_bytes(0);
  gemm::operands operands = without;
  operands.workspace = workspace->data();
  return {name, plan.text(), [=] {
            check(gemm::gemm(plan, operands, nullptr));
            (void)workspace;
          }};
}

/// Random normal operands, a C for all contenders, and C as cuBLAS computes it.
struct product_memory {
  product_memory(const shape& s, const cublas& library)
      : a(elements(s.m, s.k)), b(elements(s.n, s.k)), c(elements(s.m, s.n)), expected(c.size()) {
    fill_normal<<<2048, 256>>>(a.data(), a.size(), 1);
    fill_normal<<<2048, 256>>>(b.data(), b.size(), 1ull << 60);
    library(s, a.data(), b.data(), expected.data());
    check(cudaDeviceSynchronize());
  }

  device_array<__nv_bfloat16> a, b, c, expected;
};

/// Runs each contender once. One with a wrong C ends the program.
inline void require_right(const std::vector<contender>& all, const product_memory& memory, const shape& s) {
  for (const contender& each : all) {
    if (is_right(memory.c, memory.expected, each.work)) continue;
    std::fprintf(stderr, "bench_gemm: %s (%s) is wrong at %d x %d x %d\n", each.name.c_str(), each.what.c_str(), s.m,
                 s.n, s.k);
    std::exit(1);
  }
}

/// Returns the seconds that a product takes, about.
inline double about_seconds(const shape& s) {
  return 2.0 * s.m * s.n * s.k / 700e12;
}

/// Waits until the device is idle, and lets it rest.
inline void rest_before(const shape& s) {
  check(cudaDeviceSynchronize());
  std::this_thread::sleep_for(std::chrono::milliseconds(about_seconds(s) > 1e-3 ? 30 : 5));
}

}  // namespace gemm_bench

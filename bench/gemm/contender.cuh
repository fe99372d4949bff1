#pragma once

#include "cublas.hpp"
#include "gemm/gemm.hpp"
#include "measure.cuh"

// What bench_gemm and bench_grouped compare: ways to enqueue one product, on the same operands.

namespace gemm_bench {

struct contender {
  contender(std::string name_, std::string what_, std::function<void()> work_)
      : name(std::move(name_)), what(std::move(what_)), work(std::move(work_)) {}

  std::string name, what;
  std::function<void()> work;
  std::vector<double> burst, sustained;
};

/// Returns a workspace that a plan may use from now on.
template <class Plan>
std::shared_ptr<device_array<char>> workspace_of(const Plan& plan) {
  auto workspace = std::make_shared<device_array<char>>(plan.workspace_bytes());
  workspace->set_bytes(0);
  return workspace;
}

/// Returns a contender that runs a plan, with the memory it needs.
inline contender by_plan(const std::string& name, const gemm::plan& plan, const gemm::operands& without) {
  const auto workspace = workspace_of(plan);
  gemm::operands operands = without;
  operands.workspace = workspace->data();
  return {name, plan.text(), [=, keep = workspace] { check(gemm::gemm(plan, operands, nullptr)); }};
}

/// Runs a contender once. One with a wrong C ends the program.
inline void require_right(const contender& one, const std::string& where, const device_array<__nv_bfloat16>& c,
                          const device_array<__nv_bfloat16>& expected) {
  if (is_right(c, expected, one.work)) return;
  std::fprintf(stderr, "%s: %s (%s) is wrong at %s\n", program_invocation_short_name, one.name.c_str(),
               one.what.c_str(), where.c_str());
  std::exit(1);
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
  const std::string where = std::to_string(s.m) + " x " + std::to_string(s.n) + " x " + std::to_string(s.k);
  for (const contender& each : all) require_right(each, where, memory.c, memory.expected);
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

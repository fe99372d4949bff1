// The matrix product of examples/gemm beside cuBLAS and the best that cublasLt's heuristics offer: bursts with rests
// between them, and sustained, on normal random data, in alternation.

#include <cublasLt.h>
#include <cublas_v2.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "common/context.hpp"
#include "gemm/gemm.hpp"
#include "gemm/variant.hpp"
#include "measure.cuh"

namespace {

using namespace gemm_bench;
using gemm_bench::check;

constexpr const char* usage =
    "usage: bench_gemm [--shapes all|headline|M,N,K] [--rounds R] [--sustained P] [--kernels] [--json FILE]\n"
    "\n"
    "Times bf16 products C = A B (k contiguous in both) on this GPU, in alternation with cuBLAS and cublasLt.\n"
    "\n"
    "  --shapes S     all: the sixteen of the documentation (default); headline: 8192,8192,8192; or one of your own\n"
    "  --rounds R     bursts of each contender; medians are shown (default 9)\n"
    "  --sustained P  also P products without a rest (default 0: not)\n"
    "  --kernels      every built-in kernel beside the plan's choice\n"
    "  --json FILE    write the figures to FILE\n"
    "  --help         show this\n";

void check(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "bench_gemm: %s\n", cublasGetStatusString(status));
  std::exit(1);
}

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "bench_gemm: %s\n\n%s", what.c_str(), usage);
  std::exit(2);
}

struct options {
  std::vector<shape> shapes{{2048, 2048, 2048},  {4096, 4096, 4096},  {6144, 6144, 6144},  {16384, 16384, 16384},
                            {5000, 5000, 5000},  {4224, 8448, 4096},  {8192, 28672, 8192}, {8192, 8192, 28672},
                            {4096, 14336, 4096}, {4096, 4096, 14336}, {1024, 8192, 8192},  {512, 8192, 8192},
                            {128, 8192, 8192},   {16, 8192, 8192},    {3000, 3000, 3000},  {8192, 8192, 512}};
  int rounds = 9, sustained = 0;
  bool kernels = false;
  std::string json;
};

options parse(int count, char** arguments) {
  options chosen;
  for (int i = 1; i < count; ++i) {
    const std::string option = arguments[i];
    if (option == "--help") {
      std::fputs(usage, stdout);
      std::exit(0);
    }
    if (option == "--kernels") {
      chosen.kernels = true;
      continue;
    }
    if (option != "--shapes" && option != "--rounds" && option != "--sustained" && option != "--json") {
      refuse("unknown option '" + option + "'");
    }
    if (++i == count) refuse(option + ": its value is missing");
    const std::string value = arguments[i];
    if (option == "--json") chosen.json = value;
    if (option == "--rounds") chosen.rounds = std::atoi(value.c_str());
    if (option == "--sustained") chosen.sustained = std::atoi(value.c_str());
    if (option == "--shapes" && value == "headline") chosen.shapes = {{8192, 8192, 8192}};
    if (option == "--shapes" && value != "headline" && value != "all") {
      shape own{};
      if (std::sscanf(value.c_str(), "%d,%d,%d", &own.m, &own.n, &own.k) != 3 || own.m < 1 || own.n < 1 || own.k < 1) {
        refuse("--shapes: all, headline or three positive numbers are wanted, not '" + value + "'");
      }
      chosen.shapes = {own};
    }
  }
  if (chosen.rounds < 1) refuse("--rounds: at least 1 is wanted");
  if (chosen.sustained < 0) refuse("--sustained: at least 0 is wanted");
  return chosen;
}

/// Column-major as they are, BLAS and we mean the same: its C is our C transposed.
class blas {
 public:
  blas() {
    check(cublasCreate(&handle_));
    check(cublasLtMatmulDescCreate(&product_, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    const cublasOperation_t transpose = CUBLAS_OP_T;
    check(cublasLtMatmulDescSetAttribute(product_, CUBLASLT_MATMUL_DESC_TRANSA, &transpose, sizeof transpose));
  }
  blas(const blas&) = delete;
  ~blas() {
    cublasLtMatmulDescDestroy(product_);
    cublasDestroy(handle_);
  }

  void by_default(const shape& s, const void* a, const void* b, void* c) {
    const float one = 1, zero = 0;
    check(cublasGemmEx(handle_, CUBLAS_OP_T, CUBLAS_OP_N, s.n, s.m, s.k, &one, b, CUDA_R_16BF, s.k, a, CUDA_R_16BF, s.k,
                       &zero, c, CUDA_R_16BF, s.n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  }

  /// The fastest of up to 32, each timed in three bursts.
  std::function<void()> best_of_heuristics(const shape& s, const void* a, const void* b, void* c, int products) {
    cublasLtMatrixLayout_t of_a, of_b, of_c;
    check(cublasLtMatrixLayoutCreate(&of_b, CUDA_R_16BF, static_cast<unsigned>(s.k), static_cast<unsigned>(s.n), s.k));
    check(cublasLtMatrixLayoutCreate(&of_a, CUDA_R_16BF, static_cast<unsigned>(s.k), static_cast<unsigned>(s.m), s.k));
    check(cublasLtMatrixLayoutCreate(&of_c, CUDA_R_16BF, static_cast<unsigned>(s.n), static_cast<unsigned>(s.m), s.n));
    cublasLtMatmulPreference_t preference;
    check(cublasLtMatmulPreferenceCreate(&preference));
    const std::size_t bytes = workspace_.size();
    check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes,
                                               sizeof bytes));
    cublasLtMatmulHeuristicResult_t found[32];
    int count = 0;
    const auto lt = reinterpret_cast<cublasLtHandle_t>(handle_);
    check(cublasLtMatmulAlgoGetHeuristic(lt, product_, of_b, of_a, of_c, of_c, preference, 32, found, &count));
    check(cublasLtMatmulPreferenceDestroy(preference));
    const auto run = [=, this](const cublasLtMatmulAlgo_t& algorithm) {
      const float one = 1, zero = 0;
      check(cublasLtMatmul(lt, product_, &one, b, of_b, a, of_a, &zero, c, of_c, c, of_c, &algorithm, workspace_.data(),
                           workspace_.size(), nullptr));
    };
    int best = 0;
    double best_time = 1e30;
    event_timer time;
    for (int i = 0; i < count; ++i) {
      const auto& algorithm = found[i].algo;
      run(algorithm);
      std::vector<double> times;
      for (int turn = 0; turn < 3; ++turn) {
        check(cudaDeviceSynchronize());
        std::this_thread::sleep_for(std::chrono::milliseconds(8));
        times.push_back(time.milliseconds_of_each(products, [&] { run(algorithm); }));
      }
      if (median(times) < best_time) best = i, best_time = median(times);
    }
    return [=, algorithm = found[best].algo] { run(algorithm); };
  }

 private:
  cublasHandle_t handle_;
  cublasLtMatmulDesc_t product_;
  device_array<char> workspace_{64 << 20};
};

struct contender {
  contender(std::string name_, std::string what_, std::function<void()> work_)
      : name(std::move(name_)), what(std::move(what_)), work(std::move(work_)) {}

  std::string name, what;
  std::function<void()> work;
  std::vector<double> burst, sustained;
};

/// A plan with the memory it needs.
contender by_plan(const std::string& name, const gemm::plan& plan, const gemm::operands& without) {
  auto workspace = std::make_shared<device_array<char>>(plan.workspace_bytes());
  check(cudaMemset(workspace->data(), 0, workspace->size()));
  gemm::operands operands = without;
  operands.workspace = workspace->data();
  return {name, plan.text(), [=] {
            check(gemm::gemm(plan, operands, nullptr));
            (void)workspace;
          }};
}

std::string json_of(const shape& s, const std::vector<contender>& all) {
  std::string text;
  char line[512];
  for (const contender& each : all) {
    std::snprintf(
        line, sizeof line,
        "%s    {\"m\": %d, \"n\": %d, \"k\": %d, \"contender\": \"%s\", \"kernel\": \"%s\", \"burst_ms\": %.6f, "
        "\"burst_tflops\": %.1f",
        text.empty() ? "" : ",\n", s.m, s.n, s.k, each.name.c_str(), each.what.c_str(), median(each.burst),
        2e-9 * s.m * s.n * s.k / median(each.burst));
    text += line;
    if (!each.sustained.empty()) {
      std::snprintf(line, sizeof line, ", \"sustained_ms\": %.6f, \"sustained_tflops\": %.1f", median(each.sustained),
                    2e-9 * s.m * s.n * s.k / median(each.sustained));
      text += line;
    }
    text += "}";
  }
  return text;
}

/// Times all contenders for one shape, and returns their figures.
std::string measure(const shape& s, const options& chosen, blas& library) {
  device_array<__nv_bfloat16> a(elements(s.m, s.k)), b(elements(s.n, s.k)), c(elements(s.m, s.n)), expected(c.size());
  fill_normal<<<2048, 256>>>(a.data(), a.size(), 1);
  fill_normal<<<2048, 256>>>(b.data(), b.size(), 1ull << 60);
  library.by_default(s, a.data(), b.data(), expected.data());
  check(cudaDeviceSynchronize());

  const double seconds = 2.0 * s.m * s.n * s.k / 700e12;
  const int products = seconds > 1e-3 ? 3 : 10;
  const gemm::problem problem{.m = s.m, .n = s.n, .k = s.k};
  const gemm::operands operands{a.data(), s.k, b.data(), s.k, c.data(), s.n};
  const gemm::device device = gemm::device::current();
  std::vector<contender> all;
  all.push_back({"cublas", "default", [&] { library.by_default(s, a.data(), b.data(), c.data()); }});
  all.push_back({"cublaslt", "best of 32", library.best_of_heuristics(s, a.data(), b.data(), c.data(), products)});
  const gemm::plan plan(problem, device);
  all.push_back(by_plan("heddle", plan, operands));
  for (const gemm::variant* variant : gemm::variants(problem, device)) {
    if (variant->is_wgmma && !chosen.kernels) continue;
    const int workers = device.chip.multiprocessors * variant->blocks_per_multiprocessor / variant->blocks_in_cluster();
    for (const int sharers : {0, workers}) {
      if (sharers > 0 && !chosen.kernels) continue;
      const gemm::choice choice{variant, 8, heddle::axis::y, sharers};
      all.push_back(by_plan(variant->is_wgmma ? "kernel" : "portable", gemm::plan(problem, device, choice), operands));
    }
  }

  for (const contender& each : all) {
    if (!is_right(c, expected, each.work)) {
      std::fprintf(stderr, "bench_gemm: %s (%s) is wrong at %d x %d x %d\n", each.name.c_str(), each.what.c_str(), s.m,
                   s.n, s.k);
      std::exit(1);
    }
  }

  event_timer time;
  for (int round = 0; round < chosen.rounds; ++round) {
    for (contender& each : all) {
      check(cudaDeviceSynchronize());
      std::this_thread::sleep_for(std::chrono::milliseconds(seconds > 1e-3 ? 30 : 5));
      each.work();
      each.burst.push_back(time.milliseconds_of_each(products, each.work));
    }
  }
  if (chosen.sustained > 0) {
    for (int round = 0; round < 3; ++round) {
      for (contender& each : all) each.sustained.push_back(time.milliseconds_of_each(chosen.sustained, each.work));
    }
  }
  for (const contender& each : all) {
    const double burst = median(each.burst);
    std::printf("%5d x %5d x %5d  %-9s %9.4f ms %6.1f TFLOP/s %6.3f", s.m, s.n, s.k, each.name.c_str(), burst,
                2e-9 * s.m * s.n * s.k / burst, median(all[0].burst) / burst);
    if (!each.sustained.empty()) {
      std::printf("   sustained %6.1f %6.3f", 2e-9 * s.m * s.n * s.k / median(each.sustained),
                  median(all[0].sustained) / median(each.sustained));
    }
    std::printf("  %s\n", each.what.c_str());
  }
  std::fflush(stdout);
  return json_of(s, all);
}

/// Microseconds that the host needs to enqueue a product.
double host_time() {
  const gemm::problem problem{.m = 128, .n = 256, .k = 64};
  device_array<char> memory(1 << 20);
  const gemm::plan plan(problem, gemm::device::current());
  contender one = by_plan("", plan, {memory.data(), 64, memory.data(), 64, memory.data(), 256});
  for (int turn = 0; turn < 100; ++turn) one.work();
  check(cudaDeviceSynchronize());
  std::vector<double> times;
  for (int turn = 0; turn < 500; ++turn) {
    const auto begin = std::chrono::steady_clock::now();
    one.work();
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    check(cudaDeviceSynchronize());
  }
  return median(times);
}

int run(const options& chosen) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("bench_gemm: no CUDA device: skipped\n");
    return 77;
  }
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0));
  std::printf("%s, %d multiprocessors. Medians of %d bursts; ratios are to cuBLAS default.\n", properties.name,
              properties.multiProcessorCount, chosen.rounds);
  const double host_us = host_time();
  std::printf("Enqueueing a product takes the host %.1f us.\n", host_us);
  blas library;
  std::string figures;
  for (const shape& each : chosen.shapes) figures += (figures.empty() ? "" : ",\n") + measure(each, chosen, library);
  if (!chosen.json.empty()) {
    std::FILE* const file = std::fopen(chosen.json.c_str(), "w");
    if (file == nullptr) refuse("--json: cannot write '" + chosen.json + "'");
    std::fprintf(file,
                 "{\n  \"context\": {%s, \"host_us\": %.2f},\n"
                 "  \"products\": [\n%s\n  ]\n}\n",
                 heddle_bench::context_members().c_str(), host_us, figures.c_str());
    std::fclose(file);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(parse(count, arguments));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_gemm: %s\n", error.what());
    return 1;
  }
}

// Times the matrix product of examples/gemm in alternation with cuBLAS and with the best algorithm that cublasLt
// proposes: in bursts with rests between them, and sustained, on normal random data. With --beside, while another
// kernel holds multiprocessors: beside.cu.

#include "beside.hpp"
#include "common/bench.hpp"
#include "contender.cuh"
#include "cublas_lt.hpp"
#include "options.hpp"

namespace {

using namespace gemm_bench;
using namespace heddle_bench;
using gemm_bench::check;

/// Returns a launch of the fastest of up to 32 algorithms of cublasLt, each timed in three bursts.
std::function<void()> best_of_heuristics(const cublas_lt& lt, const shape& s, const product_memory& memory,
                                         int products) {
  const auto all = lt.launches(s, memory.a.data(), memory.b.data(), memory.c.data());
  std::size_t best = 0;
  double best_time = 1e30;
  event_timer time;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i](nullptr);
    std::vector<double> times;
    for (int turn = 0; turn < 3; ++turn) {
      check(cudaDeviceSynchronize());
      std::this_thread::sleep_for(std::chrono::milliseconds(8));
      times.push_back(time.milliseconds_of_each(products, [&] { all[i](nullptr); }));
    }
    if (median(times) < best_time) best = i, best_time = median(times);
  }
  return [launch = all[best]] { launch(nullptr); };
}

double teraflops(const shape& s, double milliseconds) {
  return 2e-9 * s.m * s.n * s.k / milliseconds;
}

/// Returns the seconds to read the larger operand from DRAM if C has few rows or columns; 0 for other products, and if
/// the rate of DRAM is not known. Operands that L2 keeps from one product to the next are read faster.
double floor_seconds(const shape& s, const gemm::device& device) {
  const double rate = device.chip.dram_bytes_per_second;
  if ((std::min)(s.m, s.n) > 128 || rate == 0) return 0;
  return 2.0 * s.k * (std::max)(s.m, s.n) / rate;
}

json_object json_of(const shape& s, const contender& one, double floor_ms) {
  json_object row;
  row.add("m", s.m).add("n", s.n).add("k", s.k).add("contender", one.name).add("kernel", one.what);
  const auto add = [&](const std::string& way, const std::vector<double>& times) {
    row.add(way + "_ms", median(times), 6).add(way + "_tflops", teraflops(s, median(times)), 1);
  };
  add("burst", one.burst);
  if (!one.sustained.empty()) add("sustained", one.sustained);
  if (floor_ms > 0) row.add("floor_share", floor_ms / median(one.burst), 3);
  return row;
}

/// Times all contenders for one shape.
void measure(const shape& s, const options& chosen, const cublas& library, cublas_lt& lt, json_file& json) {
  const product_memory memory(s, library);
  const void *const a = memory.a.data(), *const b = memory.b.data();
  __nv_bfloat16* const c = memory.c.data();
  const int products = about_seconds(s) > 1e-3 ? 3 : 10;
  const gemm::problem problem{.m = s.m, .n = s.n, .k = s.k};
  const gemm::operands operands{a, s.k, b, s.k, c, s.n};
  const gemm::device device = gemm::device::current();
  std::vector<contender> all;
  all.push_back({"cublas", "default", [&] { library(s, a, b, c); }});
  all.push_back({"cublaslt", "best of 32", best_of_heuristics(lt, s, memory, products)});
  for (const named_plan& each : plans_of(problem, device, chosen.kernels)) {
    all.push_back(by_plan(each.name, each.plan, operands));
  }

  require_right(all, memory, s);

  event_timer time;
  for (int round = 0; round < chosen.rounds; ++round) {
    for (contender& each : all) {
      rest_before(s);
      each.work();
      each.burst.push_back(time.milliseconds_of_each(products, each.work));
    }
  }
  if (chosen.sustained > 0) {
    for (int round = 0; round < 3; ++round) {
      for (contender& each : all) each.sustained.push_back(time.milliseconds_of_each(chosen.sustained, each.work));
    }
  }
  const double best = (std::min)(median(all[0].burst), median(all[1].burst));  // of cuBLAS and cublasLt
  const double floor_ms = floor_seconds(s, device) * 1e3;
  for (const contender& each : all) {
    const double burst = median(each.burst);
    std::printf("%5d x %5d x %5d  %-9s %9.4f ms %6.1f TFLOP/s %6.3f  over_best %6.3f", s.m, s.n, s.k, each.name.c_str(),
                burst, teraflops(s, burst), median(all[0].burst) / burst, best / burst);
    if (floor_ms > 0) std::printf("  floor_share %5.3f", floor_ms / burst);
    if (!each.sustained.empty()) {
      std::printf("   sustained %6.1f %6.3f", teraflops(s, median(each.sustained)),
                  median(all[0].sustained) / median(each.sustained));
    }
    std::printf("  %s\n", each.what.c_str());
  }
  std::fflush(stdout);
  for (const contender& each : all) json.add(json_of(s, each, floor_ms));
}

/// Returns the microseconds that the host needs to enqueue a product.
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
  if (!has_gpu(program_invocation_short_name)) return skipped;
  std::printf(
      "Medians of %d bursts; ratios are to %s.\n", chosen.rounds,
      chosen.beside ? "the plan alone, and to the law" : "cuBLAS default, and to the better of both (over_best)");
  const double host_us = host_time();
  std::printf("Enqueueing a product takes the host %.1f us.\n", host_us);
  json_file json(chosen.json, context_json().add("host_us", host_us, 2));
  const cublas library;
  json.begin_list(chosen.beside ? "beside" : "products");
  if (chosen.beside) {
    for (const shape& each : chosen.shapes) measure_beside(each, chosen.rounds, library, json);
  } else {
    cublas_lt lt(library);
    for (const shape& each : chosen.shapes) measure(each, chosen, library, lt, json);
  }
  json.finish();
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  return run(parse(count, arguments));
}

// Orders times schedulers times clusters, in the kernels of examples/gemm: time, beside the bytes that `predict`
// expects and what `advise` picks. docs/gemm_study.md tells what was found.

#include <cublas_v2.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "common/context.hpp"
#include "measure.cuh"
#include "study.hpp"

namespace {

using namespace gemm_bench;
using namespace gemm_study;
using heddle::axis;
using heddle::extent;
using heddle::predict::order_choice;
using heddle::predict::order_kind;
using heddle::predict::schedule_kind;

constexpr const char* usage =
    "usage: bench_gemm_study [--shapes all|headline|ragged|M,N,K] [--kernels TEXT] [--widths W,W,...] [--rounds R]\n"
    "                        [--once] [--json FILE]\n"
    "\n"
    "Times bf16 products C = A B (k contiguous in both) on a GPU of compute capability 9.0, by every kernel with every\n"
    "order and every schedule, in alternation: raster, Hilbert, and cta_swizzle along either axis. Widths are in tiles,\n"
    "or in clusters of them.\n"
    "\n"
    "  --shapes S    headline: 8192,8192,8192 (default); ragged: four that no tile divides; all; or one of your own,\n"
    "                of which K and N are multiples of 8\n"
    "  --kernels T   only those whose name has T in it; --help lists them\n"
    "  --widths W    of the bands (default 4,8,12,16,20,24,28,32)\n"
    "  --rounds R    bursts of each row; medians are shown (default 5)\n"
    "  --once        launch each row once, in the order of the JSON's rows, and time nothing\n"
    "  --json FILE   write the rows to FILE\n"
    "  --help        show this\n"
    "\n"
    "Counters, and what they say of the predictions (the i-th launch is the i-th row):\n"
    "  ncu --clock-control none -k 'regex:^gemm_(wgmma|mma)$' --csv --print-units base --metrics \\\n"
    "gpu__time_duration.sum,lts__t_sector_hit_rate.pct,lts__t_sectors.sum,dram__bytes_read.sum,dram__bytes_write.sum,\\\n"
    "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct,\\\n"
    "smsp__warp_issue_stalled_mio_throttle_per_warp_active.pct \\\n"
    "    --log-file counters.csv bench_gemm_study --once --widths 8,16,24,32 --json once.json\n"
    "  bench/gemm/study.py once.json counters.csv\n";

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "bench_gemm_study: %s\n\n%s", what.c_str(), usage);
  std::exit(2);
}

void check(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "bench_gemm_study: %s\n", cublasGetStatusString(status));
  std::exit(1);
}
using gemm_bench::check;

std::vector<kernel> all_kernels() {
  std::vector<kernel> all;
  for (const auto& some : {kernels_128x128(), kernels_128x256(), portable_kernels()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

struct options {
  std::vector<shape> shapes{{8192, 8192, 8192}};
  std::string kernels;
  std::vector<int> widths{4, 8, 12, 16, 20, 24, 28, 32};
  int rounds = 5;
  bool once = false;
  std::string json;
};

std::vector<int> numbers(const std::string& option, const std::string& value) {
  std::vector<int> all;
  std::istringstream text(value);
  for (std::string part; std::getline(text, part, ',');) {
    char* end = nullptr;
    const long number = std::strtol(part.c_str(), &end, 10);
    if (part.empty() || *end != 0 || number < 1 || number > 1 << 20) {
      refuse(option + ": positive numbers are wanted, not '" + value + "'");
    }
    all.push_back(static_cast<int>(number));
  }
  if (all.empty()) refuse(option + ": positive numbers are wanted");
  return all;
}

std::vector<shape> shapes_of(const std::string& value) {
  const std::vector<shape> headline{{8192, 8192, 8192}},
      ragged{{5000, 5000, 5000}, {7000, 9000, 8200}, {12296, 3080, 10008}, {4104, 16392, 5128}};
  if (value == "headline") return headline;
  if (value == "ragged") return ragged;
  if (value == "all") return {headline[0], ragged[0], ragged[1], ragged[2], ragged[3]};
  const std::vector<int> own = numbers("--shapes", value);
  if (own.size() != 3 || own[1] % 8 != 0 || own[2] % 8 != 0) {
    refuse("--shapes: all, headline, ragged or M,N,K are wanted, N and K multiples of 8, not '" + value + "'");
  }
  return {{own[0], own[1], own[2]}};
}

options parse(int count, char** arguments) {
  options chosen;
  for (int i = 1; i < count; ++i) {
    const std::string option = arguments[i];
    if (option == "--help") {
      std::fputs(usage, stdout);
      std::printf("\nKernels:\n");
      for (const kernel& each : all_kernels()) std::printf("  %s\n", each.name);
      std::exit(0);
    }
    if (option == "--once") {
      chosen.once = true;
      continue;
    }
    if (option != "--shapes" && option != "--kernels" && option != "--widths" && option != "--rounds" &&
        option != "--json") {
      refuse("unknown option '" + option + "'");
    }
    if (++i == count) refuse(option + ": its value is missing");
    const std::string value = arguments[i];
    if (option == "--shapes") chosen.shapes = shapes_of(value);
    if (option == "--kernels") chosen.kernels = value;
    if (option == "--widths") chosen.widths = numbers(option, value);
    if (option == "--rounds") chosen.rounds = numbers(option, value)[0];
    if (option == "--json") chosen.json = value;
  }
  return chosen;
}

/// One kernel with one order and one schedule.
struct row {
  const char* kernel;
  order_choice order;
  bool by_table;
  schedule_kind schedule;
  int workers;
  heddle::predict::wave_traffic predicted;
  bool advised;
  std::function<void()> launch;
  std::vector<double> times;

  double milliseconds() const { return median(times); }
};

/// Orders on the device, as tables or as they are.
class orders {
 public:
  bands_or_table place(const order_choice& order, extent grid, bool by_table) {
    if (!by_table) {
      const bool raster = order.kind == order_kind::row_major;
      return bands_or_table(heddle::cta_swizzle{grid, raster ? grid.cols : order.width, order.axis});
    }
    const auto entries = heddle::predict::with_order(order, grid, [](const auto& o) { return make_tile_table(o); });
    tables_.push_back(
        std::make_unique<device_array<heddle::tile_table::entry>>(static_cast<std::size_t>(entries.size())));
    check(cudaMemcpy(tables_.back()->data(), entries.data(), entries.bytes(), cudaMemcpyHostToDevice));
    return bands_or_table(heddle::tile_table{grid, tables_.back()->data()});
  }

 private:
  std::vector<std::unique_ptr<device_array<heddle::tile_table::entry>>> tables_;
};

/// Bands as wide as the grid are raster, and those that are wider too.
std::vector<order_choice> choices_for(extent grid, const std::vector<int>& widths) {
  std::vector<order_choice> all{{.kind = order_kind::row_major}, {.kind = order_kind::hilbert}};
  for (const axis axis : {axis::x, axis::y}) {
    for (const int width : widths) {
      if (width < (axis == axis::x ? grid.cols : grid.rows)) all.push_back({order_kind::cta_swizzle, width, axis});
    }
  }
  return all;
}

/// The rows of a kernel; those that `advise` picks come last where no other row is the same.
std::vector<row> rows_of(const kernel& by, const product& p, const options& chosen, orders& placed) {
  const int workers = by.workers(p.problem);
  if (workers == 0) refuse(std::string(by.name) + " does not run on this GPU");
  const auto problem = by.by_worker(p.problem);
  const extent grid = problem.grid();
  heddle::predict::device chip = gemm::device::current().chip;
  const int workers_beside = std::max(1, workers * by.cluster.size() / chip.multiprocessors);  // on a multiprocessor
  chip.multiprocessors = workers / workers_beside;  // or as many clusters of them as there are at once
  const heddle::predict::advice advice = heddle::predict::advise(problem, chip, workers_beside);

  std::vector<row> rows;
  const auto add = [&](const order_choice& order, bool by_table) {
    const auto predicted = heddle::predict::with_order(
        order, grid, [&](const auto& o) { return heddle::predict::traffic(o, problem, chip, workers_beside).total; });
    const bands_or_table place = placed.place(order, grid, by_table);
    for (const schedule_kind schedule : by.schedules) {
      const bool alone = by.schedules.size() == 1;
      const bool advised = order == advice && (schedule == advice.schedule || alone);
      rows.push_back({by.name,
                      order,
                      by_table,
                      schedule,
                      workers,
                      predicted,
                      advised,
                      [launch = by.launch(p, place, schedule)] { check(launch()); },
                      {}});
    }
  };
  for (const order_choice& order : choices_for(grid, chosen.widths)) {
    add(order, order.kind == order_kind::hilbert);
    if (order.kind == order_kind::cta_swizzle && order.axis == axis::x && by.also_by_table) add(order, true);
  }
  const auto is_advised = [](const row& each) { return each.advised; };
  if (std::none_of(rows.begin(), rows.end(), is_advised)) add(advice, advice.kind != order_kind::cta_swizzle);
  return rows;
}

std::string json_of(const shape& s, const row& r) {
  char line[512];
  std::snprintf(line, sizeof line,
                "    {\"m\": %d, \"n\": %d, \"k\": %d, \"kernel\": \"%s\", \"order\": \"%s\", \"table\": %s, "
                "\"schedule\": \"%s\", \"workers\": %d, \"predicted_read_bytes\": %lld, \"advised\": %s",
                s.m, s.n, s.k, r.kernel, to_string(r.order).c_str(), r.by_table ? "true" : "false", name_of(r.schedule),
                r.workers, r.predicted.dram_bytes, r.advised ? "true" : "false");
  std::string text = line;
  if (!r.times.empty()) {
    std::snprintf(line, sizeof line, ", \"ms\": %.6f, \"tflops\": %.1f", r.milliseconds(),
                  2e-9 * s.m * s.n * s.k / r.milliseconds());
    text += line;
  }
  return text + "}";
}

/// The rows of one kernel and one shape.
void print(const shape& s, const std::vector<row>& rows) {
  std::printf("\n%d x %d x %d, %s, %d workers: ms\n  %-42s%10s%10s%10s%16s\n", s.m, s.n, s.k, rows[0].kernel,
              rows[0].workers, "order", "one_shot", "strided", "ticket", "predicted read");
  const row *best = &rows[0], *advised = nullptr;
  for (std::size_t i = 0; i < rows.size();) {
    const row& first = rows[i];
    std::printf("  %-42s", (to_string(first.order) + (first.by_table ? ", table" : "")).c_str());
    for (const auto schedule : {schedule_kind::one_shot, schedule_kind::strided, schedule_kind::ticket}) {
      if (i == rows.size() || rows[i].schedule != schedule) {
        std::printf("%10s", "");
        continue;
      }
      std::printf("%10.4f", rows[i].milliseconds());
      if (rows[i].milliseconds() < best->milliseconds()) best = &rows[i];
      if (rows[i].advised && (advised == nullptr || advised->by_table)) advised = &rows[i];
      ++i;
    }
    std::printf("%13.2f GB\n", 1e-9 * static_cast<double>(first.predicted.dram_bytes));
  }
  const auto name = [](const row& r) { return to_string(r.order) + ", " + name_of(r.schedule); };
  std::printf("  best: %s; advised: %s, %.1f %% slower\n", name(*best).c_str(), name(*advised).c_str(),
              100 * (advised->milliseconds() / best->milliseconds() - 1));
  std::fflush(stdout);
}

class reference {
 public:
  reference() { check(cublasCreate(&handle_)); }
  reference(const reference&) = delete;
  ~reference() { cublasDestroy(handle_); }

  /// Column-major as it is, BLAS's C is ours transposed.
  void operator()(const shape& s, const gemm::operands& o, void* c) {
    const float one = 1, zero = 0;
    check(cublasGemmEx(handle_, CUBLAS_OP_T, CUBLAS_OP_N, s.n, s.m, s.k, &one, o.b, CUDA_R_16BF, s.k, o.a, CUDA_R_16BF,
                       s.k, &zero, c, CUDA_R_16BF, s.n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  }

 private:
  cublasHandle_t handle_;
};

/// All kernels for one shape. Returns the rows as JSON.
std::string measure(const shape& s, const std::vector<kernel>& kernels, const options& chosen) {
  device_array<__nv_bfloat16> a(elements(s.m, s.k)), b(elements(s.n, s.k)), c(elements(s.m, s.n));
  fill_normal<<<2048, 256>>>(a.data(), a.size(), 1);
  fill_normal<<<2048, 256>>>(b.data(), b.size(), 1ull << 60);
  device_array<char> state(heddle::ticket<>::state_bytes());
  check(cudaMemset(state.data(), 0, state.size()));
  const product p{{.m = s.m, .n = s.n, .k = s.k}, {a.data(), s.k, b.data(), s.k, c.data(), s.n}, state.data()};

  orders placed;
  std::vector<std::vector<row>> of_kernels;
  for (const kernel& each : kernels) of_kernels.push_back(rows_of(each, p, chosen, placed));
  const auto for_each_row = [&](const auto& f) {
    for (auto& rows : of_kernels) {
      for (row& each : rows) f(each);
    }
  };

  if (chosen.once) {
    int number = 0;
    for_each_row([&](const row& each) {
      std::printf("%4d  %s, %s%s, %s\n", number++, each.kernel, to_string(each.order).c_str(),
                  each.by_table ? ", table" : "", name_of(each.schedule));
      each.launch();
    });
    check(cudaDeviceSynchronize());
  } else {
    device_array<__nv_bfloat16> expected(c.size());
    reference()(s, p.operands, expected.data());
    for_each_row([&](const row& each) {
      if (is_right(c, expected, each.launch)) return;
      std::fprintf(stderr, "bench_gemm_study: %s with %s, %s is wrong at %d x %d x %d\n", each.kernel,
                   to_string(each.order).c_str(), name_of(each.schedule), s.m, s.n, s.k);
      std::exit(1);
    });
    event_timer time;
    for (int round = 0; round < chosen.rounds; ++round) {
      for_each_row([&](row& each) {
        check(cudaDeviceSynchronize());
        std::this_thread::sleep_for(std::chrono::milliseconds(12));
        each.launch();
        each.times.push_back(time.milliseconds_of_each(3, each.launch));
      });
    }
    for (const auto& rows : of_kernels) print(s, rows);
  }

  std::string text;
  for_each_row([&](const row& each) { text += (text.empty() ? "" : ",\n") + json_of(s, each); });
  return text;
}

int run(const options& chosen) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("bench_gemm_study: no CUDA device: skipped\n");
    return 77;
  }
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0));
  if (properties.major != 9 || properties.minor != 0) {
    std::printf("bench_gemm_study: %s is not of compute capability 9.0: skipped\n", properties.name);
    return 77;
  }
  std::vector<kernel> kernels = all_kernels();
  std::erase_if(kernels,
                [&](const kernel& each) { return std::string(each.name).find(chosen.kernels) == std::string::npos; });
  if (kernels.empty()) refuse("--kernels: none has '" + chosen.kernels + "' in its name");

  std::printf("%s, %d multiprocessors", properties.name, properties.multiProcessorCount);
  std::printf(chosen.once ? ". Launches in order:\n" : ". Medians of %d bursts.\n", chosen.rounds);
  std::string rows;
  for (const shape& each : chosen.shapes) rows += (rows.empty() ? "" : ",\n") + measure(each, kernels, chosen);
  if (!chosen.json.empty()) {
    std::FILE* const file = std::fopen(chosen.json.c_str(), "w");
    if (file == nullptr) refuse("--json: cannot write '" + chosen.json + "'");
    std::fprintf(file,
                 "{\n  \"context\": {%s},\n"
                 "  \"rows\": [\n%s\n  ]\n}\n",
                 heddle_bench::context_members().c_str(), rows.c_str());
    std::fclose(file);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(parse(count, arguments));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_gemm_study: %s\n", error.what());
    return 1;
  }
}

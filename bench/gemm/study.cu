// Times the kernels of examples/gemm with every order, schedule and shape of cluster, and prints the bytes that
// `predict` expects and what `advise` picks. docs/inside/gemm_study.md has the results.

#include <map>

#include <heddle/predict/advise.hpp>
#include <heddle/predict/traffic.hpp>
#include <heddle/predict/traffic_report.hpp>
#include <heddle/recipe.hpp>
#include <heddle/schedule/ticket.hpp>

#include "common/bench.hpp"
#include "cublas.hpp"
#include "measure.cuh"
#include "study.hpp"

namespace {

using namespace gemm_bench;
using namespace gemm_study;
using namespace heddle_bench;
using gemm_bench::check;
using heddle::axis;
using heddle::extent;
using heddle::recipe;
using heddle::tile_table;

std::vector<kernel> all_kernels() {
  std::vector<kernel> all;
  for (const auto& some : {kernels_128x128(), kernels_128x256(), portable_kernels()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

constexpr const char* about =
    R"(Times bf16 products C = A B (k contiguous in both) on a GPU of compute capability 9.0, by every kernel with every
order and every schedule, in alternation: raster, Hilbert, and cta_swizzle along either axis. Widths are in tiles, or in
clusters of them.
)";

constexpr const char* counters = R"(
Counters, and what they say of the predictions (the i-th launch is the i-th row):

  ncu --clock-control none -k 'regex:^gemm_(wgmma|mma)$' --csv --print-units base --metrics \
gpu__time_duration.sum,lts__t_sector_hit_rate.pct,lts__t_sectors.sum,dram__bytes_read.sum,dram__bytes_write.sum,\
smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct,\
smsp__warp_issue_stalled_mio_throttle_per_warp_active.pct \
    --log-file counters.csv bench_gemm_study --once --widths 8,16,24,32 --json once.json
  bench/gemm/study.py once.json counters.csv

Kernels:

)";

const std::map<std::string, std::vector<shape>> known_shapes = [] {
  const shape headline{8192, 8192, 8192};
  const std::vector<shape> ragged{{5000, 5000, 5000}, {7000, 9000, 8200}, {12296, 3080, 10008}, {4104, 16392, 5128}};
  std::vector<shape> all{headline};
  all.insert(all.end(), ragged.begin(), ragged.end());
  return std::map<std::string, std::vector<shape>>{{"all", all}, {"headline", {headline}}, {"ragged", ragged}};
}();

struct options {
  std::vector<shape> shapes;
  std::vector<kernel> kernels = all_kernels();
  std::vector<int> widths{4, 8, 12, 16, 20, 24, 28, 32};
  int rounds = 5;
  bool once = false;
  std::string json;
};

options parse(int count, char** arguments) {
  options chosen;
  const reader named{"a part of the name of a kernel", "", [&](const std::string& part) {
                       chosen.kernels = all_kernels();
                       std::erase_if(chosen.kernels, [&](const kernel& each) {
                         return std::string(each.name).find(part) == std::string::npos;
                       });
                       return !chosen.kernels.empty();
                     }};
  std::string names;
  for (const kernel& each : chosen.kernels) names.append("  ").append(each.name).append("\n");
  parse_options(
      count, arguments, about,
      {{"--shapes", "S", "headline: 8192,8192,8192; ragged: four that no tile divides; or one of your own",
        shape_list(chosen.shapes, known_shapes, "headline", 8)},
       {"--kernels", "T", "only those whose name has T in it; they are listed below", named},
       {"--widths", "W,W,...", "of the bands", numbers(chosen.widths, 1, 1 << 20)},
       {"--rounds", "R", "bursts of each row; medians are shown", number(chosen.rounds, 1, 100'000)},
       {"--once", "", "launch each row once, in the order of the JSON's rows, and time nothing", flag(chosen.once)},
       {"--json", "FILE", "write the rows to FILE", file(chosen.json)}},
      counters + names);
  return chosen;
}

/// One kernel with one order and one schedule.
struct row {
  const char* kernel;
  recipe by;
  bool by_table;
  int workers;
  heddle::predict::wave_traffic predicted;
  bool advised;
  std::function<void()> launch;
  std::vector<double> times;

  double milliseconds() const { return median(times); }
};

/// Orders for the kernels, computed or as tables on the device.
class orders {
 public:
  heddle::any_order<> place(const recipe& by, extent grid, bool by_table) {
    if (!by_table) return {by, grid};
    const heddle::tile_table::entries entries = make_tile_table(by, grid);
    tables_.push_back(
        std::make_unique<device_array<heddle::tile_table::entry>>(static_cast<std::size_t>(entries.size())));
    tables_.back()->copy_from(entries.data(), tables_.back()->size());
    return {grid, tables_.back()->data()};
  }

 private:
  std::vector<std::unique_ptr<device_array<heddle::tile_table::entry>>> tables_;
};

/// Returns the orders to time. Bands as wide as the grid or wider are raster, and left out.
std::vector<recipe> choices_for(extent grid, const std::vector<int>& widths) {
  std::vector<recipe> all{{}, {recipe::hilbert}};
  for (const axis axis : {axis::x, axis::y}) {
    for (const int width : widths) {
      if (width < (axis == axis::x ? grid.cols : grid.rows)) all.push_back({recipe::cta_swizzle, width, axis});
    }
  }
  return all;
}

/// Returns the rows of a kernel. If no row is what `advise` picks, one more is, at the end.
std::vector<row> rows_of(const kernel& by, const product& p, const options& chosen, orders& placed) {
  const int workers = by.workers(p.problem);
  if (workers == 0) refuse(std::string(by.name) + " does not run on this GPU");
  const auto problem = by.by_worker(p.problem);
  const extent grid = problem.grid();
  heddle::predict::device chip = gemm::device::current().chip;
  const int workers_beside = std::max(1, workers * by.cluster.size() / chip.multiprocessors);  // per multiprocessor
  chip.multiprocessors = workers / workers_beside;  // as many clusters as run at once, if there are clusters
  const heddle::predict::advice advice = heddle::predict::advise(problem, chip, workers_beside);

  std::vector<row> rows;
  const auto add = [&](recipe each, bool by_table) {
    const tile_table::entries entries = make_tile_table(each, grid);
    const auto predicted =
        heddle::predict::traffic(tile_table{grid, entries.data()}, problem, chip, workers_beside).total;
    const heddle::any_order<> order = placed.place(each, grid, by_table);
    for (const auto schedule : by.schedules) {
      each.schedule = schedule;
      const bool alone = by.schedules.size() == 1;
      const bool advised = alone ? each.order_alone() == advice.order_alone() : each == advice;
      const auto launch = [launch = by.launch(p, order, each)] { check(launch()); };
      rows.push_back({by.name, each, by_table, workers, predicted, advised, launch, {}});
    }
  };
  for (const recipe& order : choices_for(grid, chosen.widths)) {
    add(order, order.order == recipe::hilbert);
    if (order.order == recipe::cta_swizzle && order.axis == axis::x && by.also_by_table) add(order, true);
  }
  const auto is_advised = [](const row& each) { return each.advised; };
  if (std::none_of(rows.begin(), rows.end(), is_advised)) {
    add(advice.order_alone(), heddle::any_order<>::needs_table(advice));
  }
  return rows;
}

json_object json_of(const shape& s, const row& r) {
  json_object line;
  line.add("m", s.m).add("n", s.n).add("k", s.k).add("kernel", r.kernel).add("order", to_string(r.by.order_alone()));
  line.add("table", r.by_table).add("schedule", to_string(r.by.schedule)).add("workers", r.workers);
  line.add("predicted_read_bytes", r.predicted.dram_bytes).add("advised", r.advised);
  if (!r.times.empty()) {
    line.add("ms", r.milliseconds(), 6).add("tflops", 2e-9 * s.m * s.n * s.k / r.milliseconds(), 1);
  }
  return line;
}

/// Prints the rows of one kernel and one shape.
void print(const shape& s, const std::vector<row>& rows) {
  std::printf("\n%d x %d x %d, %s, %d workers: ms\n  %-42s%10s%10s%10s%16s\n", s.m, s.n, s.k, rows[0].kernel,
              rows[0].workers, "order", "one_shot", "strided", "ticket", "predicted read");
  const row *best = &rows[0], *advised = nullptr;
  for (std::size_t i = 0; i < rows.size();) {
    const row& first = rows[i];
    std::printf("  %-42s", (to_string(first.by.order_alone()) + (first.by_table ? ", table" : "")).c_str());
    for (const auto schedule : {recipe::one_shot, recipe::strided, recipe::ticket}) {
      if (i == rows.size() || rows[i].by.schedule != schedule) {
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
  const auto name = [](const row& r) { return to_string(r.by.order_alone()) + ", " + to_string(r.by.schedule); };
  std::printf("  best: %s; advised: %s, %.1f %% slower\n", name(*best).c_str(), name(*advised).c_str(),
              100 * (advised->milliseconds() / best->milliseconds() - 1));
  std::fflush(stdout);
}

/// Times all kernels for one shape.
void measure(const shape& s, const options& chosen, json_file& json) {
  device_array<__nv_bfloat16> a(elements(s.m, s.k)), b(elements(s.n, s.k)), c(elements(s.m, s.n));
  fill_normal<<<2048, 256>>>(a.data(), a.size(), 1);
  fill_normal<<<2048, 256>>>(b.data(), b.size(), 1ull << 60);
  device_array<char> state(heddle::ticket<>::state_bytes());
  state.set_bytes(0);
  const product p{{.m = s.m, .n = s.n, .k = s.k}, {a.data(), s.k, b.data(), s.k, c.data(), s.n}, state.data()};

  orders placed;
  std::vector<std::vector<row>> of_kernels;
  for (const kernel& each : chosen.kernels) of_kernels.push_back(rows_of(each, p, chosen, placed));
  const auto for_each_row = [&](const auto& f) {
    for (auto& rows : of_kernels) {
      for (row& each : rows) f(each);
    }
  };

  if (chosen.once) {
    int number = 0;
    for_each_row([&](const row& each) {
      std::printf("%4d  %s, %s%s\n", number++, each.kernel, to_string(each.by).c_str(),
                  each.by_table ? ", by table" : "");
      each.launch();
    });
    check(cudaDeviceSynchronize());
  } else {
    device_array<__nv_bfloat16> expected(c.size());
    cublas()(s, a.data(), b.data(), expected.data());
    for_each_row([&](const row& each) {
      if (is_right(c, expected, each.launch)) return;
      std::fprintf(stderr, "bench_gemm_study: %s with %s is wrong at %d x %d x %d\n", each.kernel,
                   to_string(each.by).c_str(), s.m, s.n, s.k);
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

  for_each_row([&](const row& each) { json.add(json_of(s, each)); });
}

int run(const options& chosen) {
  if (!has_gpu(program_invocation_short_name, hopper_only)) return skipped;
  json_file json(chosen.json, context_json());
  json.begin_list("rows");
  std::printf(chosen.once ? "Launches in order:\n" : "Medians of %d bursts.\n", chosen.rounds);
  for (const shape& each : chosen.shapes) measure(each, chosen, json);
  json.finish();
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  return run(parse(count, arguments));
}

// Times the products of groups of examples/grouped, their preparation included, next to one dense product of as many
// rows; a replay of a graph in which no group has rows; and products by k next to a loop of cuBLAS calls.

#include <heddle/recipe/text.hpp>

#include "../../examples/common/stream.hpp"
#include "common/bench.hpp"
#include "gemm/contender.cuh"
#include "grouped/grouped.hpp"
#include "grouped/rows.hpp"

namespace {

using namespace heddle_bench;
using gemm_bench::check;
using gemm_bench::contender;
using gemm_bench::cublas;
using gemm_bench::elements;
using gemm_bench::fill_normal;
using gemm_bench::require_right;
using gemm_bench::workspace_of;
using heddle_bench::check;
using bf16 = __nv_bfloat16;

constexpr const char* about =
    "Times bf16 products of groups (k contiguous in A and B) on this GPU: experts, n, k and rows of the documentation,\n"
    "the rows even or by Zipf's law.\n";

/// Reading the weights takes at least as long as at this rate: of an H200's DRAM, bytes per second.
constexpr double read_rate = 4.2e12;

struct shape {
  int experts, n, k, rows;
  double zipf;  // the exponent; 0: all groups alike
};

const std::vector<shape> documented{
    {128, 1536, 2048, 32768, 0}, {128, 1536, 2048, 32768, 1}, {128, 1536, 2048, 32768, 1.4}, {32, 4096, 7168, 32768, 0},
    {32, 4096, 7168, 32768, 1},  {32, 7168, 2048, 32768, 0},  {32, 7168, 2048, 32768, 1},    {8, 14336, 4096, 16384, 0},
    {8, 14336, 4096, 16384, 1},  {64, 4096, 7168, 2048, 0},   {64, 4096, 7168, 2048, 1}};

struct options {
  std::vector<shape> shapes = documented;
  int rounds = 7;
  bool ablation = false;
  std::string json;
};

reader some_shapes(std::vector<shape>& into) {
  const std::string last = std::to_string(documented.size() - 1);
  return {"all, or numbers of rows from 0 to " + last + " with commas between them", "all",
          [&into](const std::string& value) {
            if (value == "all") return true;
            const std::vector<int> chosen = numbers_of(value, ',', 0, static_cast<int>(documented.size()) - 1);
            into.clear();
            for (const int each : chosen) into.push_back(documented[static_cast<std::size_t>(each)]);
            return !chosen.empty();
          }};
}

options parse(int count, char** arguments) {
  options chosen;
  parse_options(count, arguments, about,
                {{"--shapes", "S", "which shapes of the documentation", some_shapes(chosen.shapes)},
                 {"--rounds", "R", "bursts of each contender; medians are shown", number(chosen.rounds, 1, 100'000)},
                 {"--ablation", "", "every order, schedule, cluster and body of the products of groups instead",
                  flag(chosen.ablation)},
                 {"--json", "FILE", "write the figures to FILE", file(chosen.json)}});
  return chosen;
}

std::vector<int> ends_of(const std::vector<int>& rows) {
  std::vector<int> ends(rows.size());
  std::inclusive_scan(rows.begin(), rows.end(), ends.begin());
  return ends;
}

std::string text_of(const shape& s) {
  char words[80];
  std::snprintf(words, sizeof words, s.zipf > 0 ? "%d x %d x %d, %d rows, Zipf(%g)" : "%d x %d x %d, %d rows, even",
                s.experts, s.n, s.k, s.rows, s.zipf);
  return words;
}

/// Times all contenders in turns, in bursts with rests between them.
void measure(std::vector<contender>& all, int rounds, double expected_seconds) {
  event_timer time;
  const bool is_long = expected_seconds > 1e-3;
  for (int round = 0; round < rounds; ++round) {
    for (contender& each : all) {
      check(cudaDeviceSynchronize());
      std::this_thread::sleep_for(std::chrono::milliseconds(is_long ? 30 : 8));
      each.work();
      each.burst.push_back(time.milliseconds_of_each(is_long ? 3 : 10, each.work));
    }
  }
}

double spread_of(const std::vector<double>& times) {
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  return (*most - *least) / median(times);
}

contender by_plan(const std::string& name, const grouped::plan& plan, const grouped::operands& without) {
  const auto workspace = workspace_of(plan);
  grouped::operands operands = without;
  operands.workspace = workspace->data();
  return {name, plan.text(), [=, keep = workspace] { check(grouped::product(plan, operands, nullptr)); }};
}

/// The operands of the products of one shape.
struct operands_of_shape {
  std::vector<int> rows;
  device_array<bf16> a, b, c, expected;
  device_array<int> ends;

  operands_of_shape(const shape& s, const cublas& library)
      : rows(rows_by_zipf(s.experts, s.rows, s.zipf)),
        a(elements(s.rows, s.k)),
        b(elements(s.experts, s.n) * static_cast<std::size_t>(s.k)),
        c(elements(s.rows, s.n)),
        expected(c.size()),
        ends(rows.size()) {
    fill_normal<<<2048, 256>>>(a.data(), a.size(), 1);
    fill_normal<<<2048, 256>>>(b.data(), b.size(), 1ull << 60);
    ends.copy_from(ends_of(rows).data(), rows.size());
    const bf16* of_a = a.data();
    bf16* of_c = expected.data();
    for (int group = 0; group < s.experts; ++group) {
      const int here = rows[static_cast<std::size_t>(group)];
      if (here > 0)
        library({here, s.n, s.k}, of_a, b.data() + elements(group, s.n) * static_cast<std::size_t>(s.k), of_c);
      of_a += elements(here, s.k), of_c += elements(here, s.n);
    }
    check(cudaDeviceSynchronize());
  }

  grouped::operands operands() const { return {a.data(), b.data(), ends.data(), c.data(), nullptr}; }
};

grouped::problem problem_of(const shape& s) {
  return {.rows = s.rows, .groups = s.experts, .n = s.n, .k = s.k};
}

double teraflops(const shape& s, double milliseconds) {
  return 2e-9 * s.rows * s.n * s.k / milliseconds;
}

/// Returns the share of a time in which the weights of all groups that have rows could just be read.
double share_of_reading(const shape& s, const std::vector<int>& rows, double milliseconds) {
  const auto used = static_cast<double>(static_cast<long long>(rows.size()) - std::count(rows.begin(), rows.end(), 0));
  return used * s.n * s.k * sizeof(bf16) / read_rate / (milliseconds * 1e-3);
}

json_object json_of(const shape& s, const contender& one) {
  json_object row;
  row.add("experts", s.experts).add("n", s.n).add("k", s.k).add("rows", s.rows).add("zipf", s.zipf, 1);
  row.add("contender", one.name).add("plan", one.what);
  return row.add("ms", median(one.burst), 5).add("spread", spread_of(one.burst), 4);
}

/// Times the products of a shape and one dense product of all rows.
void measure_shape(const shape& s, const options& chosen, const cublas& library, json_file& json) {
  const operands_of_shape of(s, library);
  const gemm::device device = gemm::device::current();
  std::vector<contender> all{by_plan("grouped", grouped::plan(problem_of(s), device), of.operands())};
  const grouped::choice advised = grouped::advised(problem_of(s), device, of.rows);
  all.push_back(by_plan("advised", grouped::plan(problem_of(s), device, advised), of.operands()));
  for (const contender& each : all) require_right(each, text_of(s), of.c, of.expected);

  const gemm::plan dense({.m = s.rows, .n = s.n, .k = s.k}, device);
  const auto workspace = workspace_of(dense);
  all.push_back(
      {"dense", dense.text(), [&, keep = workspace] {
         check(gemm::gemm(dense, {of.a.data(), s.k, of.b.data(), s.k, of.c.data(), s.n, 1, 0, keep->data()}, nullptr));
       }});
  measure(all, chosen.rounds, 2.0 * s.rows * s.n * s.k / 600e12);

  const double dense_ms = median(all[2].burst);
  std::printf("%-42s dense %8.4f ms %6.1f TFLOP/s\n", text_of(s).c_str(), dense_ms, teraflops(s, dense_ms));
  for (const contender& each : all) {
    const double ms = median(each.burst);
    json_object row = json_of(s, each);
    row.add("tflops", teraflops(s, ms), 1);
    if (each.name != "dense") {
      const double share = share_of_reading(s, of.rows, ms);
      std::printf("  %-8s %8.4f ms %6.1f TFLOP/s  %5.3f of dense  weights %5.3f of the time  %s\n", each.name.c_str(),
                  ms, teraflops(s, ms), dense_ms / ms, share, each.what.c_str());
      row.add("share_of_reading", share, 4).add("over_dense", dense_ms / ms, 4);
    }
    json.add(row);
  }
  std::fflush(stdout);
}

/// An order of the ablation. A plain one is a band as wide as C.
struct named_order {
  std::string name;
  int width;
  heddle::axis axis;
};

/// Returns the choices of the ablation: the kernel with two tile heights, with one, and in clusters.
std::vector<std::pair<std::string, grouped::choice>> choices_of(const shape& s) {
  using heddle::group_sequence;
  std::vector<std::pair<std::string, grouped::choice>> all;
  for (const auto& [name, width, axis] : {named_order{"plain", s.n, heddle::axis::x},
                                          {"bands of 8 rows", 8, heddle::axis::y},
                                          {"bands of 16 rows", 16, heddle::axis::y},
                                          {"bands of 8 columns", 8, heddle::axis::x}}) {
    for (const auto sequence : {group_sequence::as_numbered, group_sequence::heaviest_first}) {
      for (const bool draws : {false, true}) {
        for (const auto& [cluster, is_low] : {std::pair{1, true}, {1, false}, {2, true}}) {
          all.push_back({name,
                         {{.order = heddle::recipe::thread_group_tiling,
                           .width = width,
                           .axis = axis,
                           .cluster = {1, cluster},
                           .sequence = sequence,
                           .schedule = draws ? heddle::recipe::late_ticket : heddle::recipe::strided},
                          is_low}});
        }
      }
    }
  }
  return all;
}

json_object json_of(const grouped::choice& c) {
  return json_object().add("launch", to_string(c.by)).add("is_low", c.is_low);
}

/// Times every choice for a shape, what the plan takes, and what is advised for these rows.
void ablate(const shape& s, const options& chosen, const cublas& library, json_file& json) {
  const operands_of_shape of(s, library);
  const gemm::device device = gemm::device::current();
  const grouped::plan plan(problem_of(s), device);
  std::vector<std::pair<std::string, grouped::choice>> told = choices_of(s);
  told.push_back({"the plan's", plan.choice()});
  for (const int cluster : {1, 2})
    told.push_back({"advised", grouped::advised(problem_of(s), device, of.rows, cluster)});
  std::vector<contender> all;
  for (const auto& [name, choice] : told) {
    all.push_back(by_plan(name, grouped::plan(problem_of(s), device, choice), of.operands()));
    require_right(all.back(), text_of(s), of.c, of.expected);
  }
  measure(all, chosen.rounds, 2.0 * s.rows * s.n * s.k / 600e12);

  const auto is_faster = [](const contender& one, const contender& other) {
    return median(one.burst) < median(other.burst);
  };
  const contender& best = *std::min_element(all.begin(), all.end(), is_faster);
  std::printf("%s: best %.4f ms (%s; %s)\n", text_of(s).c_str(), median(best.burst), best.name.c_str(),
              best.what.c_str());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const contender& each = all[i];
    const double over_best = median(each.burst) / median(best.burst);
    if (i + 3 >= all.size()) {
      std::printf("  %-12s %8.4f ms, %5.3f of the best time: %s\n", each.name.c_str(), median(each.burst), over_best,
                  each.what.c_str());
    }
    json_object row = json_of(s, each);
    json.add(row.add("choice", json_of(told[i].second)).add("over_best", over_best, 4));
  }
  std::fflush(stdout);
}

/// Returns the microseconds of a replay of preparation and products of 256 groups without rows.
double empty_replay(const options& chosen) {
  const grouped::problem problem{.rows = 32768, .groups = 256, .n = 1536, .k = 2048};
  const grouped::plan plan(problem, gemm::device::current());
  const device_array<bf16> a(elements(32768, 2048)), b(elements(256, 1536) * 2048), c(elements(32768, 1536));
  const device_array<int> ends(256);
  ends.set_bytes(0);
  const auto workspace = workspace_of(plan);
  const captured_graph graph([&](cudaStream_t on) {
    check(grouped::product(plan, {a.data(), b.data(), ends.data(), c.data(), workspace->data()}, on));
  });
  const auto replay = [&] { graph.replay(); };
  event_timer time;
  std::vector<double> times;
  for (int round = 0; round < 3 * chosen.rounds; ++round) {
    for (int warm = 0; warm < 20; ++warm) replay();
    times.push_back(1e3 * time.milliseconds_of_each(200, replay));
  }
  return median(times);
}

/// Enqueues the products by k as one call of cuBLAS per group. cuBLAS is column-major: its C is the transpose of ours.
void loop_by_k(const cublas& library, const std::vector<int>& rows, int m, int n, const bf16* a, const bf16* b,
               bf16* c) {
  const float one = 1, zero = 0;
  for (const int here : rows) {
    gemm_bench::check(cublasGemmEx(library.handle(), CUBLAS_OP_N, CUBLAS_OP_T, n, m, here, &one, b, CUDA_R_16BF, n, a,
                                   CUDA_R_16BF, m, &zero, c, CUDA_R_16BF, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    a += elements(here, m), b += elements(here, n), c += elements(m, n);
  }
}

/// Times the products by k of 128 groups of 32 to 1024 rows, and a loop of cuBLAS calls.
void measure_by_k(const options& chosen, const cublas& library, json_file& json) {
  constexpr int m = 1536, n = 2048, groups = 128;
  std::vector<int> rows;
  for (int group = 0; group < groups; ++group) rows.push_back(32 + 37 * group % groups * 992 / (groups - 1));
  const int all_rows = std::accumulate(rows.begin(), rows.end(), 0);
  const device_array<bf16> a(elements(all_rows, m)), b(elements(all_rows, n)), c(elements(groups * m, n)),
      expected(c.size());
  const device_array<int> ends(rows.size());
  fill_normal<<<2048, 256>>>(a.data(), a.size(), 1);
  fill_normal<<<2048, 256>>>(b.data(), b.size(), 1ull << 60);
  ends.copy_from(ends_of(rows).data(), rows.size());
  loop_by_k(library, rows, m, n, a.data(), b.data(), expected.data());
  check(cudaDeviceSynchronize());

  const grouped::plan_by_k plan({.rows = all_rows, .groups = groups, .m = m, .n = n}, gemm::device::current());
  const auto workspace = workspace_of(plan);
  const grouped::operands operands{a.data(), b.data(), ends.data(), c.data(), workspace->data()};
  std::vector<contender> all;
  all.push_back({"grouped", "", [&] { check(grouped::product_by_k(plan, operands, nullptr)); }});
  all.push_back({"cublas", "a loop", [&] { loop_by_k(library, rows, m, n, a.data(), b.data(), c.data()); }});
  for (const contender& each : all) require_right(each, "products by k", c, expected);
  measure(all, chosen.rounds, 2.0 * all_rows * m * n / 600e12);

  const double ms = median(all[0].burst), loop_ms = median(all[1].burst), work = 2e-9 * all_rows * m * n;
  std::printf("by k: m %d, n %d, %d groups of 32 to 1024 rows: %.4f ms %.1f TFLOP/s, a loop of cuBLAS %.4f ms: %.3f\n",
              m, n, groups, ms, work / ms, loop_ms, loop_ms / ms);
  for (const contender& each : all) {
    json_object row;
    row.add("m", m).add("n", n).add("groups", groups).add("rows", all_rows).add("contender", each.name);
    json.add(row.add("ms", median(each.burst), 5)
                 .add("spread", spread_of(each.burst), 4)
                 .add("tflops", work / median(each.burst), 1));
  }
}

/// C = silu(the first n columns) x (the others), by a kernel of its own.
__global__ void gate(bf16* c, const bf16* wide, std::size_t rows, int n) {
  const std::size_t count = rows * static_cast<unsigned>(n) / 8, stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const std::size_t eights = static_cast<unsigned>(n) / 8, at = i / eights * 2 * eights + i % eights;
    const uint4 gates = reinterpret_cast<const uint4*>(wide)[at],
                ups = reinterpret_cast<const uint4*>(wide)[at + eights];
    const auto *const g = reinterpret_cast<const bf16*>(&gates), *const u = reinterpret_cast<const bf16*>(&ups);
    alignas(16) bf16 made[8];
    for (int e = 0; e < 8; ++e) {
      const float x = __bfloat162float(g[e]);
      made[e] = __float2bfloat16(__fdividef(x, 1 + __expf(-x)) * __bfloat162float(u[e]));
    }
    reinterpret_cast<uint4*>(c)[i] = *reinterpret_cast<const uint4*>(made);
  }
}

/// Times a product whose rows are gathered, and one whose rows are scattered and weighed, next to the plain one, and a
/// gated product next to a product and a kernel that gates.
void measure_fused(const shape& s, const options& chosen, const cublas& library, json_file& json) {
  const operands_of_shape of(s, library);
  const device_array<bf16> gated(elements(s.rows, s.n / 2));
  const device_array<int> numbers(static_cast<unsigned>(s.rows));
  const device_array<float> weights(static_cast<unsigned>(s.rows));
  std::vector<int> to(static_cast<unsigned>(s.rows));
  for (int row = 0; row < s.rows; ++row) to[static_cast<unsigned>(row)] = static_cast<int>(row * 40503LL % s.rows);
  numbers.copy_from(to.data(), to.size());
  const std::vector<float> halves(static_cast<unsigned>(s.rows), 0.5f);
  weights.copy_from(halves.data(), halves.size());

  const gemm::device device = gemm::device::current();
  grouped::problem problem = problem_of(s);
  std::vector<contender> all{by_plan("plain", grouped::plan(problem, device), of.operands())};
  grouped::operands some = of.operands();
  some.rows_of_a = numbers.data();
  all.push_back(by_plan("gathered", grouped::plan(problem, device), some));
  some = of.operands();
  some.rows_of_c = numbers.data(), some.weights = weights.data();
  all.push_back(by_plan("scattered", grouped::plan(problem, device), some));
  const std::function<void()> product = all[0].work;
  all.push_back({"product, then gate", "", [&, product] {
                   product();
                   gate<<<2048, 256>>>(gated.data(), of.c.data(), static_cast<unsigned>(s.rows), s.n / 2);
                 }});
  problem.n = s.n / 2, problem.is_gated = true, some = of.operands(), some.c = gated.data();
  all.push_back(by_plan("gated", grouped::plan(problem, device), some));
  measure(all, chosen.rounds, 2.0 * s.rows * s.n * s.k / 600e12);

  for (const contender& each : all) {
    const contender& beside = each.name == "gated" ? all[3] : all[0];
    const double ms = median(each.burst), speed = median(beside.burst) / ms;
    std::printf("  %-18s %8.4f ms, %5.3f of the speed of: %s\n", each.name.c_str(), ms, speed, beside.name.c_str());
    json.add(json_of(s, each).add("beside", beside.name).add("speed", speed, 4));
  }
  std::fflush(stdout);
}

int run(const options& chosen) {
  if (!has_gpu(program_invocation_short_name, hopper_only)) return skipped;
  std::printf("Medians of %d bursts.\n", chosen.rounds);
  const cublas library;
  if (chosen.ablation) {
    json_file json(chosen.json, context_json());
    json.begin_list("ablation");
    for (const shape& each : chosen.shapes) ablate(each, chosen, library, json);
    json.finish();
    return 0;
  }
  const double empty_us = empty_replay(chosen);
  std::printf("A replay of preparation and products of 256 groups without rows: %.2f us.\n", empty_us);
  json_file json(chosen.json, context_json().add("empty_replay_us", empty_us, 2));
  json.begin_list("products");
  for (const shape& each : chosen.shapes) measure_shape(each, chosen, library, json);
  json.end();
  json.begin_list("products_by_k");
  measure_by_k(chosen, library, json);
  json.end();
  json.begin_list("fused");
  for (const double zipf : {0.0, 1.0}) measure_fused({32, 4096, 7168, 32768, zipf}, chosen, library, json);
  json.finish();
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  return run(parse(count, arguments));
}

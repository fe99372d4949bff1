#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/options.hpp"
#include "gemm/expected.hpp"
#include "shapes.hpp"

// What bench_gemm is told, and which products and kernels it times then: code for the host, which a test runs without a
// GPU.

namespace gemm_bench {

inline constexpr const char* about =
    "Times bf16 products C = A B (k contiguous in both) on this GPU, in alternation with cuBLAS and cublasLt.\n";

inline const std::vector<shape> documented{
    {2048, 2048, 2048},  {4096, 4096, 4096},  {6144, 6144, 6144},  {16384, 16384, 16384},
    {5000, 5000, 5000},  {4224, 8448, 4096},  {8192, 28672, 8192}, {8192, 8192, 28672},
    {4096, 14336, 4096}, {4096, 4096, 14336}, {1024, 8192, 8192},  {512, 8192, 8192},
    {128, 8192, 8192},   {16, 8192, 8192},    {3000, 3000, 3000},  {8192, 8192, 512}};

/// Fewer tiles than multiprocessors, few rows or columns, and edges that no tile divides.
inline const std::vector<shape> few{{1536, 512, 7168},  {5120, 512, 2560}, {64, 1536, 4096},
                                    {1536, 1024, 4096}, {8192, 128, 8192}, {3360, 2968, 5712}};

/// Few tokens by matrices of Llama 3 8B and 70B, Qwen 2.5 7B, Gemma 2 9B, Phi 3 mini and DeepSeek V3.
inline std::vector<shape> inference() {
  constexpr int matrices[][2]{{6144, 4096},  {4096, 4096},  {28672, 4096}, {4096, 14336}, {10240, 8192},
                              {8192, 28672}, {4608, 3584},  {3584, 18944}, {3584, 4096},  {3072, 3072},
                              {16384, 3072}, {24576, 1536}, {7168, 16384}};
  std::vector<shape> all;
  for (const int m : {8, 64}) {
    for (const auto& [n, k] : matrices) all.push_back({m, n, k});
  }
  return all;
}

inline const std::map<std::string, std::vector<shape>> known_shapes{
    {"all", documented}, {"few", few}, {"headline", {{8192, 8192, 8192}}}, {"inference", inference()}};

struct options {
  std::vector<shape> shapes;
  int rounds = 9, sustained = 0;
  bool kernels = false, beside = false, has_own_shapes = false;
  std::string json;
};

/// Returns the table of options, which set `chosen`.
inline std::vector<heddle_bench::option> table_of(options& chosen) {
  using namespace heddle_bench;
  reader shapes = shape_list(chosen.shapes, known_shapes, "all");
  shapes.by_default = "all; headline with --beside";
  shapes.read = [&chosen, read = shapes.read](const std::string& value) { return chosen.has_own_shapes = read(value); };
  const reader read_few{"", "", [read = shapes.read](const std::string&) { return read("few"); }};
  return {{"--shapes", "S",
           "all: the sixteen of the documentation; few: six with little work; inference: 26 with few rows; headline: "
           "8192,8192,8192; or one of your own",
           shapes},
          {"--few", "", "the same as --shapes few", read_few},
          {"--rounds", "R", "bursts of each contender; medians are shown", number(chosen.rounds, 1, 100'000)},
          {"--sustained", "P", "also P products without a rest; 0: none", number(chosen.sustained, 0, 1'000'000)},
          {"--kernels", "", "every built-in kernel beside the plan's choice", flag(chosen.kernels)},
          {"--beside", "", "only cuBLAS and the plan, while another kernel holds multiprocessors", flag(chosen.beside)},
          {"--json", "FILE", "write the figures to FILE", file(chosen.json)}};
}

inline options parse(int count, char** arguments) {
  options chosen;
  heddle_bench::parse_options(count, arguments, about, table_of(chosen));
  if (chosen.beside && !chosen.has_own_shapes) chosen.shapes = known_shapes.at("headline");
  return chosen;
}

/// A plan to time, and what the figures call it.
struct named_plan {
  std::string name;
  gemm::plan plan;
};

/// Returns the plan of a product and what is timed beside it: the portable kernels with whole tiles, or every kernel
/// that is built in, with whole tiles and shared by all its workers where it can share.
inline std::vector<named_plan> plans_of(const gemm::problem& problem, const gemm::device& device, bool every_kernel) {
  std::vector<named_plan> all{{"heddle", gemm::plan(problem, device)}};
  for (const gemm::variant* variant : gemm::variants(problem, device)) {
    if (variant->is_wgmma() && !every_kernel) continue;
    const std::string name = variant->is_wgmma() ? "kernel" : "portable";
    const auto add = [&](int sharers) {
      gemm::choice told{variant};
      told.by.schedule = sharers > 0 ? heddle::recipe::stream_k : heddle::recipe::strided;
      told.by.sharers = sharers;
      all.push_back({name, gemm::plan(problem, device, told)});
    };
    add(0);
    if (every_kernel && !variant->draws()) add(gemm::workers_of(*variant, device));
  }
  return all;
}

}  // namespace gemm_bench

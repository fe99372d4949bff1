// What bench_gemm does with its options before it needs a GPU: each is read, and whatever it asks for can be planned.

#include "gemm/options.hpp"

#include "choose/summary.hpp"
#include "test.hpp"

using namespace gemm_bench;

namespace {

/// Parses as main does.
options parsed(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "bench_gemm");
  std::vector<char*> pointers;
  for (std::string& each : arguments) pointers.push_back(each.data());
  return parse(static_cast<int>(pointers.size()), pointers.data());
}

gemm::device card(int compute_capability, const heddle::predict::device& chip) {
  return {compute_capability, chip};
}

/// Plans all that would be timed. Returns the number of plans.
std::size_t planned(const options& chosen) {
  std::size_t plans = 0;
  for (const gemm::device& device : {card(90, heddle::predict::h200()), card(90, heddle::predict::h100()),
                                     card(80, heddle::predict::a100()), card(120, heddle::predict::h200())}) {
    for (const shape& each : chosen.shapes) {
      CAPTURE(device.compute_capability, each.m, each.n, each.k);
      plans += plans_of({.m = each.m, .n = each.n, .k = each.k}, device, chosen.kernels).size();
    }
  }
  return plans;
}

}  // namespace

TEST_CASE("bench_gemm reads each option that --help lists, and plans what it asks for", "[bench]") {
  const std::map<std::string, std::vector<std::string>> values{
      {"--shapes", {"all", "few", "inference", "headline", "8192,8192,8192", "1,1,1"}},
      {"--few", {""}},
      {"--rounds", {"1", "100000"}},
      {"--sustained", {"0", "300"}},
      {"--kernels", {""}},
      {"--beside", {""}},
      {"--json", {"figures.json"}}};
  options unused;
  const auto table = table_of(unused);
  REQUIRE(table.size() == values.size());
  std::set<std::size_t> seen;
  for (const heddle_bench::option& each : table) {
    CAPTURE(each.name);
    REQUIRE(values.count(each.name) == 1);
    for (const std::string& value : values.at(each.name)) {
      CAPTURE(value);
      CHECK(each.value.empty() == value.empty());
      std::vector<std::string> arguments{each.name};
      if (!value.empty()) arguments.push_back(value);
      const std::size_t shapes = parsed(arguments).shapes.size();
      CHECK(shapes > 0);
      if (!seen.insert(shapes).second) continue;  // these shapes were planned
      CHECK(planned(parsed(arguments)) > 0);
      arguments.push_back("--kernels");
      CHECK(planned(parsed(arguments)) > 0);
    }
  }
}

TEST_CASE("bench_gemm has the shapes and figures that its options name", "[bench]") {
  CHECK(parsed({}).shapes.size() == 16);
  CHECK(parsed({"--few"}).shapes.size() == 6);
  CHECK(parsed({"--shapes", "few"}).shapes.size() == 6);
  CHECK(parsed({"--shapes", "inference"}).shapes.size() == 26);
  CHECK(parsed({"--beside"}).shapes.size() == 1);
  CHECK(parsed({"--beside", "--few"}).shapes.size() == 6);
  CHECK(parsed({"--shapes", "5,6,7"}).shapes[0].k == 7);
  CHECK(parsed({"--rounds", "3", "--sustained", "4"}).rounds == 3);
  CHECK(parsed({"--sustained", "4"}).sustained == 4);
  CHECK(parsed({"--json", "a"}).json == "a");
  CHECK_FALSE(parsed({}).kernels);
  CHECK(parsed({"--kernels"}).kernels);
}

TEST_CASE("bench_gemm --kernels times every kernel, and by all its workers each that can share", "[bench]") {
  const gemm::problem problem{.m = 4096, .n = 4096, .k = 4096};
  const gemm::device device = card(90, heddle::predict::h200());
  const auto kernels = gemm::variants(problem, device);
  int drawing = 0;
  for (const gemm::variant* each : kernels) {
    int whole = 0, shared = 0;
    drawing += each->draws() ? 1 : 0;
    for (const named_plan& one : plans_of(problem, device, true)) {
      if (one.name == "heddle" || one.plan.choice().variant != each) continue;
      (one.plan.choice().by.sharers == 0 ? whole : shared) += 1;
    }
    CAPTURE(each->name);
    CHECK(whole == 1);
    CHECK(shared == (each->draws() ? 0 : 1));
  }
  CHECK(drawing > 0);
}

TEST_CASE("No more than 24 kernels are built in for a type and a layout", "[bench]") {
  using enum gemm::layout;
  for (const auto element : {gemm::element::bf16, gemm::element::fp16}) {
    for (const auto a : {row_major, column_major}) {
      for (const auto b : {row_major, column_major}) {
        const gemm::problem problem{.m = 8, .n = 8, .k = 8, .element = element, .a = a, .b = b};
        std::set<std::string> names;
        for (const gemm::variant* each : gemm::variants(problem, card(90, heddle::predict::h200()))) {
          if (each->is_wgmma()) CHECK(names.insert(each->name).second);
        }
        CHECK((names.size() >= 4 && names.size() <= 24));
      }
    }
  }
}

TEST_CASE("The plan of 8192 x 8192 x 8192 takes tiles of 128x256 in pairs, which were fastest", "[bench]") {
  for (const auto& chip : {heddle::predict::h200(), heddle::predict::h100()}) {
    const gemm::plan plan({.m = 8192, .n = 8192, .k = 8192}, card(90, chip));
    CHECK(plan.choice().variant->name == std::string("wgmma 128x256, cluster 2x1"));
  }
}

// Figures of record are the oracle. Nothing was fitted to those of an H100.
TEST_CASE("Products of record take about as long as their kernels are expected to", "[bench]") {
  for (const auto& [name, chip] : {std::pair{"h200", heddle::predict::h200()}, {"h100", heddle::predict::h100()}}) {
    const gemm::device device = card(90, chip);
    double squares = 0;
    int found = 0;
    for (const char* file : {"gemm", "gemm_few"}) {
      for (const auto& row :
           choose_bench::rows_in(std::string(HEDDLE_SOURCE_DIR "/bench/results/") + name + "/" + file + ".json")) {
        if (row.word("contender") != "heddle") continue;
        const auto whole = [&](const char* extent) { return static_cast<int>(row.number(extent)); };
        const gemm::problem problem{.m = whole("m"), .n = whole("n"), .k = whole("k")};
        for (const auto& each : gemm::candidates(problem, device)) {
          const std::string kernel = row.word("kernel"), sharers = each.value.by.sharers > 0
                                                                       ? "by " + std::to_string(each.value.by.sharers)
                                                                       : "whole tiles";
          if (kernel.rfind(std::string(each.value.variant->name) + ", bands", 0) != 0) continue;
          if (kernel.size() < sharers.size() || kernel.substr(kernel.size() - sharers.size()) != sharers) continue;
          CAPTURE(name, kernel, problem.m, problem.n, problem.k, each.seconds);
          const double error = std::log(each.seconds / (1e-3 * row.number("burst_ms")));
          CHECK(std::abs(error) < 0.35);
          squares += error * error, ++found;
          break;
        }
      }
    }
    CAPTURE(name, found);
    CHECK(found >= 10);
    CHECK(std::sqrt(squares / found) < 0.1);
  }
}

// The page of the benchmarks' figures, beside those of record.

#include "page/results.hpp"

#include "draw/xml.hpp"
#include "test.hpp"

using namespace heddle_bench;
namespace fs = std::filesystem;

namespace {

const fs::path records = fs::path(HEDDLE_SOURCE_DIR) / "bench/results";

/// A folder of the test, empty at first and removed at last.
struct folder {
  fs::path path;
  explicit folder(const char* name) : path(fs::absolute(name)) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~folder() { fs::remove_all(path); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
  /// Writes a file of record as another GPU's.
  void copy(const std::string& name, const std::string& gpu, const std::string& into) const {
    std::ifstream in(records / "h200" / name);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    text.replace(text.find("NVIDIA H200"), 11, gpu);
    write(into + name, text);
  }
};

/// The cells of all views of a benchmark, as lines of text.
std::vector<std::string> lines_of(const std::string& name, const std::string& json) {
  const folder here("test_figures_lines");
  here.write(name + ".json", json);
  std::vector<std::string> lines;
  const file_of_figures file(here.path / (name + ".json"));
  for (const benchmark& each : benchmarks()) {
    for (const view& of : each.views) {
      if (each.name != name || !of.tabled) continue;
      const cells found = cells_of(of, file.rows);
      for (const std::string& row : found.rows) {
        for (const std::string& column : found.columns) {
          const cells::cell& cell = found.at(row, column);
          const std::string text = cell.number > 0 ? std::to_string(cell.number).substr(0, 6) : cell.words;
          if (!text.empty()) lines.push_back(row + " | " + column + " | " + text);
        }
      }
    }
  }
  return lines;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string page_of(const fs::path& run, const fs::path& record = records) {
  const figures now(run);
  const std::string page = results_page(now, record_for(now, record));
  CHECK(xml(page, true).error == "");
  for (const char* wrong : {"https:", "src=", "<script", ">nan", ">inf"}) CHECK(!has(page, wrong));
  return page;
}

}  // namespace

TEST_CASE("Every view of the table finds figures of record, and every file of record is shown", "[bench]") {
  const figures of_h200(records / "h200"), of_h100(records / "h100");
  CHECK((of_h200.errors.empty() && of_h100.errors.empty()));
  for (const benchmark& each : benchmarks()) {
    const bool is_of_h200 = of_h200.rows.count(each.name) == 1, is_of_h100 = of_h100.rows.count(each.name) == 1;
    INFO(each.name);
    REQUIRE((is_of_h200 || is_of_h100));
    for (const view& of : each.views) {
      cells found = is_of_h200 ? cells_of(of, of_h200.rows.at(each.name)) : cells{};
      if (found.rows.empty() && is_of_h100) found = cells_of(of, of_h100.rows.at(each.name));
      INFO(each.name << ": " << of.rows << ", " << of.where);
      CHECK(!found.rows.empty());
      for (std::size_t i = 0; i < found.columns.size(); ++i) {
        const std::string& name = found.columns[i];
        INFO(name);
        if (found.kinds[i].means == meaning::plain) continue;            // not every contestant is in every row
        if (name.rfind("atrous, textures of float4", 0) == 0) continue;  // none is advised
        CHECK(std::any_of(found.rows.begin(), found.rows.end(), [&](const std::string& row) {
          return found.all.count({row, name}) != 0;
        }));
      }
    }
  }
}

TEST_CASE("Figures that are compared with themselves differ nowhere", "[bench]") {
  const std::string page = page_of(records / "h200");
  for (const auto& file : fs::directory_iterator(records / "h200")) CHECK(has(page, file.path().filename().string()));
  CHECK(has(page, "Figures: gemm.json; of record: gemm.json."));
  CHECK(has(page, "of record: grouped.json, grouped_ablation.json, grouped_torch.json."));
  CHECK((has(page, "heddle over cuBLAS, bursts") && has(page, ", 1.00×")));
  for (const char* differs : {"▲ 1", "▼ 0", "▲ 2"}) CHECK(!has(page, differs));
  CHECK(!has(page, "another GPU"));
}

TEST_CASE("A run is compared with the record of its own GPU, or with another one under its name", "[bench]") {
  const folder run("test_figures_run"), record("test_figures_record");
  for (const char* name : {"gemm.json", "choose.json"}) {
    run.copy(name, "NVIDIA A100", "");
    record.copy(name, "NVIDIA A100", "any/");
  }
  const std::string other = page_of(run.path);
  CHECK(
      has(other,
          "There are no figures of record of NVIDIA A100. All figures of record here are of NVIDIA H200, another GPU"));
  CHECK((has(other, ">of NVIDIA H200</th>") && !has(other, ">committed<")));
  CHECK(has(other, "No figures of order, schedule, spaces, gemm_few,"));

  for (const char* name : {"gemm.json", "order.json", "schedule.json"}) record.copy(name, "NVIDIA H200", "h200/");
  const std::string own = page_of(run.path, record.path);
  CHECK(!has(own, "H200"));
  CHECK(has(own, "Figures: choose.json; of record: choose.json."));

  CHECK(has(page_of(run.path, run.path / "nothing"), "No figure is in both."));

  run.copy("gemm_few.json", "NVIDIA H200", "");
  const std::string mixed = page_of(run.path, record.path);
  CHECK(has(mixed, "The figures of this run are of more than one GPU."));
  CHECK(has(mixed, "There are no figures of record of NVIDIA A100 and NVIDIA H200."));
}

TEST_CASE("Files that are wrong are named, and the others are shown", "[bench]") {
  const folder run("test_figures_wrong");
  run.write("gemm.json", R"({"context": {}, "matrices": []})");
  run.write("order.json", "{\"context\": {\"gpu\": \"any\"}, \"benchmarks\": [\n");
  run.write("reorder.json", R"({"rows": []})");
  run.write("spaces.json", "7");
  run.write("unheard_of.json", "{}");
  run.write("schedule.json", R"({"benchmarks": [{"run_name": "full/ticket/manual_time", "run_type": "iteration",
    "real_time": 739.1, "ns_per_tile": 0.739}, {"run_name": "full/strided", "error_occurred": true, "ns_per_tile": 1}]})");
  const figures found(run.path);
  CHECK(found.errors == std::vector<std::string>{"gemm.json: it has no figures of gemm",
                                                 "order.json: line 2: a value is missing, or is none of JSON",
                                                 "reorder.json: it has no figures of reorder",
                                                 "spaces.json: it is no JSON object",
                                                 "unheard_of.json: no benchmark has this name"});
  const std::string page = page_of(run.path);
  CHECK(has(page, "Left out: unheard_of.json"));
  CHECK(has(page, "Figures: schedule.json; of record: "));
  CHECK(figures(run.path / "none").errors.size() == 1);
}

TEST_CASE("Figures as a program writes them and figures of record are the same cells", "[bench]") {
  const std::vector<std::string> passes = lines_of("convolution", R"({"rows": [
    {"row": "atrous, float4, 16x8, step 4", "order": "row_major", "schedule": "one_shot", "tile": "16x16", "ms": 10.85},
    {"row": "atrous, float4, 16x8, step 4", "order": "dilated, axis x", "schedule": "ticket", "tile": "8x16", "ms": 4.34,
     "advised": true}]})");
  CHECK(passes == lines_of("convolution", R"({"sweep": [{"row": "atrous, float4, 16x8, step 4", "ms": {
    "16x16 row_major one_shot": 10.850, "8x16 dilated ticket": 4.34}, "advised": ["a", "8x16 dilated ticket"]}],
    "bursts": [{"row": "atrous, float4, 16x8, step 4", "ms": {"16x16 row_major one_shot": 1}}]})"));
  const std::string pass = "atrous, float4, 16x8, step 4 | ";
  CHECK(passes == std::vector<std::string>{
                      pass + "raster, ms | 10.850", pass + "advised, ms | 4.3400", pass + "best, ms | 4.3400",
                      pass + "atrous, float4: advised over raster | 2.5000",
                      pass + "what is advised | 8x16 dilated ticket", pass + "what is best | 8x16 dilated ticket"});

  const std::vector<std::string> sweep = lines_of("gemm_study", R"({"rows": [
    {"m": 8, "n": 8, "k": 8, "kernel": "a", "order": "row_major", "table": false, "schedule": "ticket", "advised": false, "ms": 3},
    {"m": 8, "n": 8, "k": 8, "kernel": "a", "order": "hilbert", "table": false, "schedule": "ticket", "advised": true, "ms": 1.5},
    {"m": 8, "n": 8, "k": 8, "kernel": "a", "order": "morton", "table": true, "schedule": "ticket", "advised": true, "ms": 1.2}
    ]})");
  CHECK(sweep == lines_of("gemm_study", R"({"sweeps": [{"m": 8, "n": 8, "k": 8, "kernel": "a", "row_major_ms": 3.0,
    "advised": "hilbert, ticket", "advised_ms": 1.50, "best": "morton, ticket", "best_ms": 1.2}]})"));
  CHECK(sweep.size() == 7);

  const std::string modes = R"("modes": [{"mode": "each", "milliseconds": 4.0}, {"mode": "block", "milliseconds": 2}])";
  const std::vector<std::string> scene = lines_of("path_tracer", R"({"scene": "a", )" + modes + "}");
  CHECK(scene == lines_of("path_tracer", R"({"scenes": [{"scene": "a", )" + modes + "}]}"));
  CHECK(scene == std::vector<std::string>{"each | a, ms | 4.0000", "block | a, ms | 2.0000",
                                          "a | block over threads as they are | 2.0000"});
}

TEST_CASE("A view takes the rows that it means, and of several the best", "[bench]") {
  const fields row{{{"sweep", "switch"}, {"held", "0"}, {"name", "row_major one_shot"}}};
  const auto meant = [&](const char* where) { return is_meant(row, conditions(where)); };
  CHECK((meant("") && meant("sweep=switch") && meant("sweep=data|switch") && !meant("sweep=data")));
  CHECK((!meant("held!0") && meant("held!24") && !meant("sweep=switch;held!0")));
  CHECK((meant("name~major one") && !meant("name~table") && meant("step=")));
  CHECK(filled("{sweep}: {held}", row) == "switch: 0");
  CHECK(!filled("{sweep}, {step}", row));

  std::vector<fields> rows;
  for (const auto& [who, ms, rate] : {std::tuple{"a", "3", "1"}, {"a", "2", "5"}, {"b", "8", "4"}}) {
    rows.push_back({{{"of", "x"}, {"who", who}, {"ms", ms}, {"rate", rate}, {"plan", std::string("plan ") + ms}}});
  }
  const cells found = cells_of({.rows = "{of}",
                                .columns = {{"{who}", meaning::time, {"ms"}},
                                            {"rate", meaning::rate, {"rate"}},
                                            {"gain", meaning::gain, {"ms", "who=b"}, {"ms", "who=a"}},
                                            {"plan", meaning::plain, {"plan", "", "ms"}},
                                            {"none", meaning::time, {"us"}}}},
                               rows);
  CHECK(found.rows == std::vector<std::string>{"x"});
  CHECK(found.columns == std::vector<std::string>{"a", "b", "rate", "gain", "plan", "none"});
  CHECK((found.number("x", "a") == 2 && found.number("x", "b") == 8));
  CHECK((found.number("x", "rate") == 5 && found.number("x", "gain") == 4));
  CHECK(found.at("x", "plan").words == "plan 2");
  CHECK(found.all.count({"x", "none"}) == 0);
}

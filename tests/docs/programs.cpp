// The programs of examples/ and bench/ begin alike on any GPU, or without one: they ask examples/common/card.hpp, and
// have code for every GPU from sm_80 on unless they need a Hopper.

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "lines.hpp"

namespace {

using namespace heddle_test;

std::string text_of(const fs::path& path) {
  std::string all;
  for (const std::string& line : read(path)) all += line + "\n";
  return all;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<fs::path> sources_of_programs() {
  std::vector<fs::path> all;
  for (const char* folder : {"examples", "bench"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source / folder)) {
      const std::string kind = entry.path().extension().string();
      if (kind == ".cu" || kind == ".cuh" || kind == ".cpp" || kind == ".hpp") all.push_back(entry.path());
    }
  }
  return all;
}

/// Returns the file and what it includes of the repository, without the headers of heddle and without card.hpp.
std::set<fs::path> with_includes(const fs::path& file) {
  static const std::regex include("#include \"([^\"]+)\"");
  std::set<fs::path> seen;
  for (std::vector<fs::path> left{file}; !left.empty();) {
    const fs::path next = fs::weakly_canonical(left.back());
    left.pop_back();
    if (next.filename() == "card.hpp" || !seen.insert(next).second) continue;
    const std::string text = text_of(next);
    for (std::sregex_iterator at(text.begin(), text.end(), include), end; at != end; ++at) {
      for (const fs::path& from : {next.parent_path(), source / "examples", source / "bench"}) {
        if (fs::exists(from / (*at)[1].str())) {
          left.push_back(from / (*at)[1].str());
          break;
        }
      }
    }
  }
  return seen;
}

/// Returns whether a file of these has a call of one of the functions of card.hpp.
bool asks_for_gpu(const std::set<fs::path>& files, const std::string& arguments = "") {
  const std::regex call("(has|find)_gpu\\([^;]*" + arguments);
  return std::any_of(files.begin(), files.end(),
                     [&](const fs::path& file) { return std::regex_search(text_of(file), call); });
}

/// The CUDA targets of examples/ and bench/: their sources, and their architectures, empty if they have CMake's.
struct cuda_target {
  std::vector<fs::path> sources;
  std::string architectures;
};

std::map<std::string, cuda_target> cuda_targets() {
  static const std::regex makes(
      "(heddle_example|heddle_benchmark|add_executable|add_library)\\(([\\w${}]+)([^)]*\\.cu[^)]*)\\)");
  static const std::regex sets(
      "set_target_properties\\(([^)]*?)\\s+PROPERTIES[^)]*?CUDA_ARCHITECTURES\\s+(\"[^\"]*\"|\\S+?)[\\s)]");
  static const std::regex word("[^\\s]+");
  std::map<std::string, cuda_target> all;
  for (const char* folder : {"examples", "bench"}) {
    const std::string text = text_of(source / folder / "CMakeLists.txt");
    for (std::sregex_iterator at(text.begin(), text.end(), makes), end; at != end; ++at) {
      cuda_target& made = all[(*at)[2]];
      const std::string words = (*at)[3];
      std::smatch first;
      if ((*at)[1] == "heddle_benchmark" && std::regex_search(words, first, word)) made.architectures = first[0];
      for (std::sregex_iterator each(words.begin(), words.end(), word); each != end; ++each) {
        const fs::path file = source / folder / each->str();
        if (file.extension() == ".cu" && fs::exists(file)) made.sources.push_back(file);
      }
    }
    for (std::sregex_iterator at(text.begin(), text.end(), sets), end; at != end; ++at) {
      const std::string names = (*at)[1];
      for (std::sregex_iterator each(names.begin(), names.end(), word); each != end; ++each) {
        if (all.count(each->str()) != 0) all[each->str()].architectures = (*at)[2];
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE("Every program with a kernel says which GPU it is on, or is skipped by name", "[docs]") {
  int programs = 0;
  for (const fs::path& file : sources_of_programs()) {
    INFO(file);
    const std::string text = text_of(file);
    const bool is_helper = file.filename() == "card.hpp" || file.filename() == "context.cpp";
    CHECK(contains(text, "cudaGetDeviceCount") == is_helper);
    if (!contains(text, "int main(") || file.extension() != ".cu") continue;
    CHECK(asks_for_gpu(with_includes(file)));
    ++programs;
  }
  CHECK(programs > 30);
  // These two have a main() without CUDA, and ask where it is.
  CHECK(asks_for_gpu(with_includes(source / "examples/demo/card.cu")));
  CHECK(asks_for_gpu(with_includes(source / "examples/path_tracer/gpu.cu")));
  CHECK(!asks_for_gpu(with_includes(source / "examples/01_order/which_order.cpp")));
}

TEST_CASE("Every program has code for any GPU from sm_80 on, but for those that ask for a Hopper", "[docs]") {
  const std::map<std::string, cuda_target> targets = cuda_targets();
  CHECK(targets.size() > 35);
  const std::set<std::string> without_main{"bench_expand_rdc", "gemm_bf16", "gemm_fp16",    "gemm_trace",
                                           "grouped_product",  "heddle_grouped", "overlap_kernels"};
  std::set<std::string> need_hopper;
  for (const auto& [name, target] : targets) {
    INFO(name << ": " << target.architectures);
    const bool is_for_any = target.architectures.empty() || contains(target.architectures, "80") ||
                            contains(target.architectures, "any_gpu");
    if (!is_for_any) {
      CHECK(target.architectures == "90a-real");
      need_hopper.insert(name);
      if (without_main.count(name) == 0) {
        CHECK(std::any_of(target.sources.begin(), target.sources.end(), [](const fs::path& file) {
          return asks_for_gpu({file}, "hopper") || contains(text_of(file), "on_gpu(hopper");
        }));
      }
    }
  }
  CHECK(need_hopper == std::set<std::string>{"02_roles", "bench_choose", "bench_expand_rdc", "bench_gemm_study",
                                             "bench_grouped", "demo_hopper", "gemm_bf16", "gemm_fp16", "gemm_trace",
                                             "grouped_experts", "grouped_product", "heddle_grouped",
                                             "overlap_kernels"});
  CHECK(contains(text_of(source / "cmake/Cuda.cmake"), "set(CMAKE_CUDA_ARCHITECTURES 80 "));
  CHECK(contains(text_of(source / "bench/CMakeLists.txt"), "set(any_gpu ${HEDDLE_TESTED_ARCHITECTURES} 80-virtual)"));
}

// What an order costs, in instructions of the PTX of a kernel that maps one index and stores the tile.

#include <cstdio>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "test.hpp"

namespace {

struct kernel {
  int instructions = 0;
  int divisions = 0;
  int local = 0;  // loads and stores of local memory
};

std::map<std::string, kernel> read_ptx() {
  std::ifstream file(HEDDLE_PTX);
  REQUIRE(file.good());
  const std::regex entry(R"(\.visible \.entry (\w+)\()"), instruction(R"(^\s+(@!?%p\d+\s+)?[a-z][\w.:]*(\s.*)?;)");
  const std::regex division(R"(\s(div|rem)\.)"), local(R"(\s(ld|st)\.local)");
  std::map<std::string, kernel> kernels;
  kernel* current = nullptr;
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_search(line, match, entry)) current = &kernels[match[1]];
    if (current == nullptr || !std::regex_search(line, instruction)) continue;
    ++current->instructions;
    current->divisions += std::regex_search(line, division);
    current->local += std::regex_search(line, local);
  }
  return kernels;
}

}  // namespace

TEST_CASE("A kernel over bands has at most twice the instructions of one over row_major and no order divides",
          "[codegen]") {
  const auto kernels = read_ptx();
  for (const auto& [name, kernel] : kernels) {
    std::printf("%-36s %3d instructions\n", name.c_str(), kernel.instructions);
    CAPTURE(name);
    CHECK(kernel.divisions == 0);
    CHECK(kernel.local == 0);
  }
  REQUIRE(kernels.size() == 11);
  const auto cost = [&](const char* name) { return kernels.at(name).instructions; };
  REQUIRE(cost("nothing") > 4);
  REQUIRE(cost("with_row_major") > cost("nothing"));
  CHECK(cost("with_thread_group_tiling") <= 2 * cost("with_row_major"));
  CHECK(cost("with_cta_swizzle") <= 2 * cost("with_row_major"));
}

TEST_CASE("A grid known to the compiler makes every order cheaper", "[codegen]") {
  const auto kernels = read_ptx();
  for (const char* name : {"row_major", "thread_group_tiling", "cta_swizzle"}) {
    CAPTURE(name);
    CHECK(kernels.at(std::string("with_constant_") + name).instructions <
          kernels.at(std::string("with_") + name).instructions);
  }
}

// A loop over a scheduler costs as much as the same loop by hand, in PTX and in machine code.

#include <regex>

#include "compiled.hpp"

using namespace heddle_test;

namespace {

const char* const loops[] = {"strided_row_major", "strided_cta_swizzle", "one_shot_row_major", "one_shot_cta_swizzle"};

}  // namespace

TEST_CASE("A loop over strided or one_shot has the instructions of the loop by hand in PTX", "[codegen]") {
  const auto kernels = read_ptx(HEDDLE_SCHEDULE_PTX);
  for (const std::string name : loops) {
    const int ours = kernels.at(name).instructions, by_hand = kernels.at(name + "_by_hand").instructions;
    std::printf("%-24s %4d instructions, by hand %4d\n", name.c_str(), ours, by_hand);
    CAPTURE(name);
    REQUIRE(by_hand > 50);
    CHECK(100 * ours <= 105 * by_hand);
    CHECK(kernels.at(name).local == 0);
  }
}

TEST_CASE("A loop over strided or one_shot has the instructions and registers of the loop by hand in SASS",
          "[codegen]") {
  const auto kernels = read_cubin(HEDDLE_SCHEDULE_CUBIN);
  for (const std::string name : loops) {
    const sass_kernel ours = kernels.at(name), by_hand = kernels.at(name + "_by_hand");
    std::printf("%-24s %4d instructions, %3d registers; by hand %4d and %3d\n", name.c_str(), ours.instructions,
                ours.registers, by_hand.instructions, by_hand.registers);
    CAPTURE(name);
    REQUIRE(by_hand.instructions > 50);
    REQUIRE(by_hand.registers > 8);
    CHECK(100 * ours.instructions <= 105 * by_hand.instructions);
    CHECK(ours.registers <= by_hand.registers + 1);
  }
}

TEST_CASE("One line for bands takes no more registers than the order as an argument", "[codegen]") {
  const auto kernels = read_cubin(HEDDLE_SCHEDULE_CUBIN);
  const sass_kernel line = kernels.at("in_bands_cta_swizzle"), typed = kernels.at("one_shot_cta_swizzle_by_hand");
  std::printf("one line %4d instructions, %3d registers; typed order %4d and %3d\n", line.instructions, line.registers,
              typed.instructions, typed.registers);
  REQUIRE(line.registers > 8);
  CHECK(line.registers <= typed.registers);
  CHECK(line.instructions <= 2 * typed.instructions);
}

TEST_CASE("A product in bands by one line multiplies in the registers that it has by the typed order", "[codegen]") {
  // What is uniform for the order and not for the line takes other registers, and these conflict.
  const auto kernels = read_cubin(HEDDLE_SCHEDULE_CUBIN);
  const sass_kernel line = kernels.at("product_in_bands"), typed = kernels.at("product_by_order");
  std::printf("one line %d registers, typed order %d\n", line.registers, typed.registers);
  CHECK(line.registers <= typed.registers);
  REQUIRE(typed.multiply_adds.size() >= 512);
  const bool are_same = line.multiply_adds == typed.multiply_adds;
  CHECK(are_same);
}

TEST_CASE("A thread that leads takes no more registers than docs/schedule.md says", "[codegen]") {
  const auto kernels = read_cubin(HEDDLE_SCHEDULE_CUBIN);
  std::ifstream page(HEDDLE_SOURCE_DIR "/docs/schedule.md");
  const std::regex row(R"(\| `(\w+)` \| (\d+) \| (\d*) ?\|)");
  std::smatch found;
  bool in_table = false;
  int rows = 0;
  for (std::string line; std::getline(page, line);) {
    in_table = line == "| scheduler | registers to lead | over clusters |" || (in_table && !line.empty());
    if (!in_table || !std::regex_match(line, found, row)) continue;
    ++rows;
    const std::string name = "lead_" + found[1].str();
    std::printf("%-28s %d registers\n", name.c_str(), kernels.at(name).registers);
    CAPTURE(name);
    CHECK(kernels.at(name).registers <= std::stoi(found[2]));
    if (found[3].length() > 0) CHECK(kernels.at(name + "_of_clusters").registers <= std::stoi(found[3]));
  }
  CHECK(rows == 6);
}

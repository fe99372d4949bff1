// A loop over a scheduler costs as much as the same loop by hand, in PTX and in machine code.

#include <cstdio>
#include <string>

#include "compiled.hpp"
#include "test.hpp"

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

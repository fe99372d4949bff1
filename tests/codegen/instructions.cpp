// Counts what an order costs: PTX instructions of a kernel that maps one index and stores the tile.

#include "compiled.hpp"

using namespace heddle_test;

TEST_CASE("Orders of bands, batches and triangles cost few instructions more than row_major and no order divides",
          "[codegen]") {
  const auto kernels = read_ptx(HEDDLE_PTX);
  for (const auto& [name, kernel] : kernels) {
    std::printf("%-36s %3d instructions\n", name.c_str(), kernel.instructions);
    CAPTURE(name);
    CHECK(kernel.divisions == 0);
    CHECK(kernel.local == 0);
  }
  REQUIRE(kernels.size() == 15);
  const auto cost = [&](const char* name) { return kernels.at(name).instructions; };
  REQUIRE(cost("nothing") > 4);
  REQUIRE(cost("with_row_major") > cost("nothing"));
  CHECK(cost("with_thread_group_tiling") <= 2 * cost("with_row_major"));
  CHECK(cost("with_cta_swizzle") <= 2 * cost("with_row_major"));
  CHECK(cost("with_batched_bands") <= 1.35 * cost("with_thread_group_tiling"));
  CHECK(cost("with_interleaved_bands") <= 1.9 * cost("with_thread_group_tiling"));
  CHECK(cost("with_triangular") <= 1.9 * cost("with_row_major"));
}

TEST_CASE("A grid known to the compiler makes every order cheaper", "[codegen]") {
  const auto kernels = read_ptx(HEDDLE_PTX);
  for (const char* name : {"row_major", "thread_group_tiling", "cta_swizzle"}) {
    CAPTURE(name);
    CHECK(kernels.at(std::string("with_constant_") + name).instructions <
          kernels.at(std::string("with_") + name).instructions);
  }
}

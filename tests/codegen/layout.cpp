// Kernel arguments are laid out alike by the host's compiler and by nvcc. Empty members without an address of their own
// are not, for one: a kernel would read its scheduler's state at the wrong place.

#include "compiled.hpp"
#include "layouts.hpp"

using namespace heddle_test;

TEST_CASE("Orders and schedulers are as large for the device as for the host", "[codegen]") {
  const auto kernels = read_ptx(HEDDLE_LAYOUT_PTX);
#define COMPARE(name, ...)                                          \
  {                                                                 \
    INFO(#__VA_ARGS__);                                             \
    REQUIRE(kernels.count(#name) == 1);                             \
    CHECK(kernels.at(#name).argument_bytes == sizeof(__VA_ARGS__)); \
  }
  HEDDLE_LAYOUTS(COMPARE)
}

TEST_CASE("A unit that includes all headers has the kernels that it calls, and no others", "[codegen]") {
#define COUNT(...) +1
  std::ifstream ptx(HEDDLE_LAYOUT_PTX);
  int entries = 0;
  for (std::string line; std::getline(ptx, line);) entries += line.find(".entry ") != std::string::npos ? 1 : 0;
  CHECK(entries == HEDDLE_LAYOUTS(COUNT));
}

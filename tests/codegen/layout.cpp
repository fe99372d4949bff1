// Kernel arguments are laid out alike by the host's compiler and by nvcc. Empty members without an address of their own
// are not, for one: a kernel would read its scheduler's state at the wrong place.

#include "compiled.hpp"
#include "layouts.hpp"
#include "test.hpp"

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

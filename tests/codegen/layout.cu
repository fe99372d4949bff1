// Compiled to PTX only, where layout.cpp reads how large each kernel argument is. It includes all headers,
// and layout.cpp sees that heddle's own kernels are compiled only where a program calls them.

#include <heddle/heddle.hpp>

#include "layouts.hpp"

using namespace heddle_test;

#define KERNEL(name, ...)                                                                   \
  extern "C" __global__ void name(const __grid_constant__ __VA_ARGS__ argument, int* out) { \
    *out = static_cast<int>(sizeof argument);                                               \
  }
HEDDLE_LAYOUTS(KERNEL)

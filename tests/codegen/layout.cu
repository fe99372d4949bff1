// Compiled to PTX only, where layout.cpp reads how large each kernel argument is.

#include "layouts.hpp"

using namespace heddle_test;

#define KERNEL(name, ...)                                                                   \
  extern "C" __global__ void name(const __grid_constant__ __VA_ARGS__ argument, int* out) { \
    *out = static_cast<int>(sizeof argument);                                               \
  }
HEDDLE_LAYOUTS(KERNEL)

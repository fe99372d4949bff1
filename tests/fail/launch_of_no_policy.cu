// expect: the kernel's first argument is no scheduler, no strategy and no order of tiles

#include <heddle/launch/launch_shape.hpp>

__global__ void kernel(int, float) {}

auto error = heddle::launch({.threads = 32}, kernel, 1, 1.0f);

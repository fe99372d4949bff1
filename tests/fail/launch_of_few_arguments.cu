// expect: the kernel has another number of parameters

#include <heddle/launch/launch_shape.hpp>
#include <heddle/schedule/strided.hpp>

template <heddle::tile_scheduler Scheduler>
__global__ void kernel(const __grid_constant__ Scheduler, const float*, float*, int) {}

const heddle::strided scheduler{heddle::row_major{{3, 4}}};
float* data = nullptr;
auto error = heddle::launch({.threads = 32}, kernel<heddle::strided<heddle::row_major>>, scheduler, data, data);

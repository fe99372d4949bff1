// expect: the kernel's first parameter is another policy than the one of the launch

#include <heddle/schedule/one_shot.hpp>
#include <heddle/schedule/strided.hpp>

template <heddle::tile_scheduler Scheduler>
__global__ void kernel(const __grid_constant__ Scheduler, int) {}

const heddle::row_major order{{3, 4}};
auto error = heddle::launch({.threads = 32}, kernel<heddle::one_shot<heddle::row_major>>, heddle::strided{order}, 1);

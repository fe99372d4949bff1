// expect: grid

#include <heddle/schedule/one_shot.hpp>

template <heddle::tile_scheduler Scheduler>
__global__ void kernel(const __grid_constant__ Scheduler) {}

// one_shot launches a block per tile, and the hardware distributes them: it cannot keep a cap, and grid() takes none.
auto grid = heddle::one_shot{heddle::row_major{{3, 4}}}.grid(kernel<heddle::one_shot<heddle::row_major>>, 128, 0, 66);

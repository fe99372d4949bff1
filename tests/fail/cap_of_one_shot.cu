// expect: grid

#include <heddle/schedule/one_shot.hpp>

template <heddle::tile_scheduler Scheduler>
__global__ void kernel(const __grid_constant__ Scheduler) {}

// A block for every tile leaves no multiprocessor to others: it has no cap that it could keep.
auto grid = heddle::one_shot{heddle::row_major{{3, 4}}}.grid(kernel<heddle::one_shot<heddle::row_major>>, 128, 0, 66);

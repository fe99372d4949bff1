// expect: has_storage
#include <heddle/schedule/strided.hpp>

template <heddle::tile_scheduler Scheduler>
__global__ void count(const __grid_constant__ Scheduler scheduler, unsigned* tiles) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  for ([[maybe_unused]] const heddle::coord tile : scheduler.tiles(smem)) atomicAdd(tiles, 1);
}

cudaError_t enqueue(heddle::extent grid, unsigned* tiles) {
  const heddle::tile_scheduler auto scheduler = heddle::row_major{grid};
  return heddle::launch({.threads = 256}, count, scheduler, tiles);
}

// The scheduler of docs/your_own.md in a kernel: as a loop, and in roles.

#include <02_schedule/to_and_fro.hpp>
#include <heddle/order/cta_swizzle.hpp>

template <heddle::tile_scheduler Scheduler>
__global__ void walk(const __grid_constant__ Scheduler scheduler, int* visits) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  for (const auto [row, col] : scheduler.tiles(smem)) visits[row] = col;
  if (threadIdx.x == 0) scheduler.start(smem, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (const auto [row, col] : scheduler.lead(smem)) visits[row] = col;
  } else {
    for (const auto [row, col] : scheduler.follow(smem)) visits[row] = col;
  }
}

template __global__ void walk(const __grid_constant__ to_and_fro<heddle::cta_swizzle>, int*);

#include "heddle_device.hpp"

#if defined(__CUDACC__)
template <heddle::tile_scheduler Scheduler>
__global__ void fill(const __grid_constant__ Scheduler scheduler, int cols, int* out) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  for (const auto [row, col] : scheduler.tiles(smem)) out[row * cols + col] = 1;
}

__global__ void fill(int* out) {
  const auto blockIdx = heddle::in_bands<64>();
  out[blockIdx.y * gridDim.x + blockIdx.x] = 1;
}

int main() {
  const heddle::ticket scheduler{heddle::cta_swizzle{{9, 9}, 4}, nullptr};
  fill<<<8, 32>>>(scheduler, 9, nullptr);
  fill<<<dim3(8, 8), 32>>>(nullptr);
}
#else
static_assert(heddle::cta_swizzle{{4, 5}, 2}.size() == 20);
static_assert(heddle::tile_scheduler<heddle::strided<heddle::hilbert>>);
#endif

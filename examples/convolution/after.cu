// before.cu with heddle: tiles one step apart are neighbours, and the blocks of a multiprocessor draw them one after
// another. Each block finds in L1 what the others have read.

#include <heddle/order/dilated.hpp>
#include <heddle/schedule/sm_affine.hpp>

#include "plain.hpp"

template <heddle::tile_scheduler Scheduler>
__global__ void denoise(const __grid_constant__ Scheduler scheduler, const __grid_constant__ inputs in, image out) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  for (const auto [tile_row, tile_col] : scheduler.tiles(smem)) {
    const int x = tile_col * tile_cols + threadIdx.x, y = tile_row * tile_rows + threadIdx.y;
    if (out.contains(x, y)) out(x, y) = atrous_pixel(in, x, y);
  }
}

int main() {
  void* state = nullptr;  // must outlive all launches
  if (cudaMalloc(&state, heddle::sm_affine<>::state_bytes()) == cudaSuccess) {
    check(cudaMemset(state, 0, heddle::sm_affine<>::state_bytes()));
  }
  const int result = run("after", [&](const inputs& in, image out) {
    const int rows = (out.height + tile_rows - 1) / tile_rows, cols = (out.width + tile_cols - 1) / tile_cols;
    const heddle::dilated order{{rows, cols}, {step / tile_rows, step / tile_cols}, /*width*/ 2};
    const heddle::sm_affine scheduler{order, state, /*run*/ 64};
    return heddle::launch({.threads = {tile_cols, tile_rows}}, denoise, scheduler, in, out);
  });
  cudaFree(state);
  return result;
}

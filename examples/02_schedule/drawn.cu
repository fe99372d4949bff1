// after.cu with a scheduler that draws tiles: the kernel is the same, and the program owns the state.

#include <heddle/order/cta_swizzle.hpp>
#include <heddle/schedule/ticket.hpp>

#include "common.hpp"

template <heddle::tile_scheduler Scheduler>
__global__ void grade(const __grid_constant__ Scheduler scheduler, image in, image out, grading by) {
  __shared__ float4 curve[curve_points];
  make_curve(curve, by);

  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  for (const auto [tile_row, tile_col] : scheduler.tiles(smem)) grade_tile(in, out, curve, tile_row, tile_col);
}

int main() {
  void* state = nullptr;
  const int result = run("drawn", [&](image in, image out, grading by) {
    if (state == nullptr) {  // once, for all launches
      check(cudaMalloc(&state, heddle::ticket<>::state_bytes()));
      check(cudaMemset(state, 0, heddle::ticket<>::state_bytes()));
    }
    const heddle::extent grid = heddle::ceil_div(in.rows, in.cols, {tile_rows, tile_cols});
    const heddle::ticket scheduler{heddle::cta_swizzle{grid, 8, heddle::axis::x}, state};
    return heddle::launch({.threads = threads}, grade, scheduler, in, out, by);
  });
  if (state != nullptr) check(cudaFree(state));
  return result;
}

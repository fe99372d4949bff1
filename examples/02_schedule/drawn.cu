// after.cu with tiles that are drawn: the kernel is the same, and the state is the program's.

#include <heddle/order/cta_swizzle.hpp>
#include <heddle/schedule/ticket.hpp>

#include "common.hpp"

template <heddle::tile_scheduler Scheduler>
__global__ void grade(const __grid_constant__ Scheduler scheduler, image in, image out, const float4* curve) {
  __shared__ float4 shared_curve[curve_points];
  load_curve(shared_curve, curve);

  __shared__ typename Scheduler::storage smem;
  for (const auto [tile_row, tile_col] : scheduler.tiles(smem)) grade_tile(in, out, shared_curve, tile_row, tile_col);
}

int main() {
  void* state = nullptr;
  const int result = run("drawn", [&](image in, image out, const float4* curve) {
    if (state == nullptr) {  // once, for all launches
      check(cudaMalloc(&state, heddle::ticket<>::state_bytes()));
      check(cudaMemset(state, 0, heddle::ticket<>::state_bytes()));
    }
    const heddle::extent grid = heddle::ceil_div(in.rows, in.cols, {tile_rows, tile_cols});
    const heddle::ticket scheduler{heddle::cta_swizzle{grid, 8, heddle::axis::x}, state};
    const auto kernel = grade<heddle::ticket<heddle::cta_swizzle>>;
    return heddle::launch(scheduler.grid(kernel, threads), nullptr, kernel, scheduler, in, out, curve);
  });
  if (state != nullptr) check(cudaFree(state));
  return result;
}

// after.cu with roles, in clusters of two blocks: one thread copies tiles into shared memory, ahead of the warps that
// grade them.

#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/ptx>

#include <heddle/order/clustered.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/schedule/ticket.hpp>

#include "common.hpp"

using barrier = cuda::barrier<cuda::thread_scope_block>;

template <class Storage>
struct shared_memory {
  float4 tile[2][tile_rows][tile_cols], curve[curve_points];
  barrier full[2], empty[2];
  Storage tiles;  // the plain storage, as the last member: it moves nothing
};

/// Looks up the pixels of a tile in the curve, as the threads that follow.
__device__ void grade_staged(const float4 (&tile)[tile_rows][tile_cols], image out, const float4* curve, int tile_row,
                             int tile_col) {
  for (int i = static_cast<int>(threadIdx.x); i < tile_rows * tile_cols; i += threads) {
    const int row = tile_row * tile_rows + i / tile_cols, col = tile_col * tile_cols + i % tile_cols;
    if (row >= out.rows || col >= out.cols) continue;
    const float4 pixel = tile[i / tile_cols][i % tile_cols];
    out.pixels[1LL * row * out.cols + col] = {curve[point_of(pixel.x)].x, curve[point_of(pixel.y)].y,
                                              curve[point_of(pixel.z)].z, pixel.w};
  }
}

template <heddle::tile_scheduler Scheduler>
__global__ void __launch_bounds__(threads + 32)
    grade(const __grid_constant__ Scheduler scheduler, image in, image out, grading by) {
  extern __shared__ float4 memory[];
  auto& smem = *reinterpret_cast<shared_memory<typename Scheduler::storage>*>(memory);
  make_curve(smem.curve, by);
  if (threadIdx.x == 0) {  // one thread of every block
    scheduler.start(smem.tiles, /*followers*/ threads);
    for (int i = 0; i < 2; ++i) init(&smem.full[i], 1), init(&smem.empty[i], threads);
    cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
  }
  const auto cluster = cooperative_groups::this_cluster();
  cluster.sync();  // all blocks of the cluster have started: the leader of one tells the others their tiles

  unsigned turn = 0;
  if (threadIdx.x == threads) {  // one thread of every block leads
    for (const auto tile : scheduler.lead(smem.tiles)) {
      if (!scheduler.order().contains(tile)) continue;  // a cluster may reach past the last row
      if (turn >= 2) smem.empty[turn % 2].wait_parity((turn / 2 - 1) % 2);
      const int row = tile.row * tile_rows, col = tile.col * tile_cols;
      const int rows = min(tile_rows, in.rows - row), bytes = 16 * min(tile_cols, in.cols - col);
      for (int i = 0; i < rows; ++i) {
        cuda::device::memcpy_async_tx(&smem.tile[turn % 2][i][0], &in.pixels[1LL * (row + i) * in.cols + col],
                                      cuda::aligned_size_t<16>(bytes), smem.full[turn % 2]);
      }
      (void)cuda::device::barrier_arrive_tx(smem.full[turn++ % 2], 1, rows * bytes);
    }
  } else if (threadIdx.x < threads) {
    for (const auto tile : scheduler.follow(smem.tiles)) {
      if (!scheduler.order().contains(tile)) continue;
      smem.full[turn % 2].wait_parity(turn / 2 % 2);
      grade_staged(smem.tile[turn % 2], out, smem.curve, tile.row, tile.col);
      (void)smem.empty[turn++ % 2].arrive();
    }
  }
  __syncwarp();
  cluster.sync();  // no block exits while another may still write its tiles into this one's memory
}

int main() {
  if (!has_gpu("roles", hopper_only)) return skipped;
  void* state = nullptr;
  check(cudaMalloc(&state, heddle::ticket<>::state_bytes()));
  check(cudaMemset(state, 0, heddle::ticket<>::state_bytes()));
  const int result = run("roles", [&](image in, image out, grading by) {
    const heddle::extent grid = heddle::ceil_div(in.rows, in.cols, {tile_rows, tile_cols}), cluster{2, 1};
    const heddle::clustered order{heddle::row_major{ceil_div(grid, cluster)}, cluster, grid};
    const heddle::ticket scheduler{order, state};
    using scheduler_type = std::remove_const_t<decltype(scheduler)>;
    return heddle::launch({.threads = threads + 32, .dynamic_smem = sizeof(shared_memory<scheduler_type::storage>)},
                          grade, scheduler, in, out, by);
  });
  check(cudaFree(state));
  return result;
}

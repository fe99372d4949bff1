// experts_before.cu by expansion: each expert is a source with as many items as it has tiles, and the blocks of a
// second pass take the items. Compare experts_after.cu.

#include <heddle/expand/append.hpp>

#include "experts.hpp"

using strategy = heddle::append;  // the second pass searches nothing, and needs no shared memory

__device__ int begin_of(const int* ends, int expert) {
  return expert > 0 ? ends[expert - 1] : 0;
}

__global__ void find_tiles(const __grid_constant__ strategy work, const int* ends) {
  const int expert = blockIdx.x * blockDim.x + threadIdx.x;
  const int rows = expert < experts ? ends[expert] - begin_of(ends, expert) : 0;
  __shared__ heddle::static_shared<strategy::push_storage> smem;
  work.push(smem, expert, (rows + tile_rows - 1) / tile_rows * col_tiles);
}

__device__ void multiply_tile(const int* ends, const float* a, const float* b, float* c, int expert, int tile_row,
                              int tile_col) {
  const int first = begin_of(ends, expert) + tile_row * tile_rows;
  const int rows = min(tile_rows, ends[expert] - first), col = tile_col * tile_cols + threadIdx.x;
  if (col >= n) return;
  a += 1LL * first * k;
  b += 1LL * expert * k * n;  // each expert has its own B
  c += 1LL * first * n;
  float sums[tile_rows] = {};
  for (int i = 0; i < k; ++i) {
    const float y = b[i * n + col];
    for (int row = 0; row < tile_rows; ++row) sums[row] += a[min(row, rows - 1) * k + i] * y;
  }
  for (int row = 0; row < tile_rows; ++row) {
    if (row < rows) c[row * n + col] = sums[row];
  }
}

__global__ void multiply(const __grid_constant__ strategy work, const int* ends, const float* a, const float* b,
                         float* c) {
  __shared__ heddle::static_shared<strategy::storage> smem;
  for (const auto [expert, tile] : work.items<heddle::granularity::block>(smem)) {
    multiply_tile(ends, a, b, c, expert, tile / col_tiles, tile % col_tiles);
  }
}

int main() {
  return run("experts_expanded", [](const int* ends, const float* a, const float* b, float* c) {
    constexpr int threads = 64;
    static_assert(experts <= threads);
    const heddle::expansion room{experts, 1ULL * (experts + rows_in_all / tile_rows) * col_tiles};
    static const device_array<char> state(strategy::state_bytes(room));
    const strategy work{room, state.data()};
    check(work.begin_async(nullptr));
    find_tiles<<<1, threads>>>(work, ends);
    check(heddle::launch(work.grid(multiply, tile_cols), nullptr, multiply, work, ends, a, b, c));
  });
}

// A grouped product. Experts have as many rows as the device knows, so the launch of a first version has blocks for all
// rows in each expert, and most of them return at once. Then with the tiles that there are: a preparation on the stream
// finds them, and only a bound of their number is launched. And by expansion: each expert is a source with as many
// items as it has tiles, and the blocks of a second pass take the items.

#include <heddle/expand/append.hpp>
#include <heddle/order/grouped.hpp>
#include <heddle/order/tile_of_block.hpp>

#include "common.hpp"

constexpr int experts = 61, rows_in_all = 16381, n = 1021, k = 509;  // primes: no tile divides them
constexpr int tile_rows = 8, tile_cols = 128;
constexpr int most_row_tiles = (rows_in_all + tile_rows - 1) / tile_rows;  // of one expert, if it has all rows
constexpr int col_tiles = (n + tile_cols - 1) / tile_cols;

struct matrices {
  const float *a, *b;
  float* c;
};

__host__ __device__ inline int begin_of(const int* ends, int expert) {
  return expert > 0 ? ends[expert - 1] : 0;
}

/// Multiplies the rows from `first` on, up to a tile's, by the expert's own B.
__device__ void multiply_tile(matrices of, int expert, int first, int end, int tile_col) {
  const int rows = min(tile_rows, end - first), col = tile_col * tile_cols + threadIdx.x;
  if (col >= n) return;
  const float* const a = of.a + 1LL * first * k;
  const float* const b = of.b + 1LL * expert * k * n;  // each expert has its own B
  float sums[tile_rows] = {};
  for (int i = 0; i < k; ++i) {
    const float y = b[i * n + col];
    for (int row = 0; row < tile_rows; ++row) sums[row] += a[min(row, rows - 1) * k + i] * y;
  }
  for (int row = 0; row < tile_rows; ++row) {
    if (row < rows) of.c[1LL * (first + row) * n + col] = sums[row];
  }
}

__global__ void multiply(const int* ends, matrices of) {
  const int expert = blockIdx.z, tile_row = blockIdx.y, tile_col = blockIdx.x;
  const int first = begin_of(ends, expert) + tile_row * tile_rows, end = ends[expert];
  if (first >= end) return;
  multiply_tile(of, expert, first, end, tile_col);
}

void before(const int* ends, matrices of) {
  multiply<<<dim3(col_tiles, most_row_tiles, experts), tile_cols>>>(ends, of);
}

__global__ void multiply(const __grid_constant__ heddle::grouped order, matrices of) {
  if (static_cast<int>(blockIdx.x) >= order.size()) return;
  const auto [expert, tile_row, tile_col] = heddle::tile_of_block(order);
  const auto [first, end] = order.rows_of({expert, tile_row, tile_col});
  multiply_tile(of, expert, first, end, tile_col);
}

void after(const int* ends, matrices of) {
  static const device_array<char> state(heddle::grouped::state_bytes({rows_in_all, experts, tile_rows, col_tiles}));
  const heddle::grouped order{{rows_in_all, experts, tile_rows, col_tiles}, state.data()};
  check(order.prepare_async(ends, nullptr));
  multiply<<<most_tiles(order), tile_cols>>>(order, of);
}

using strategy = heddle::append;  // the second pass searches nothing, and needs no shared memory

__global__ void find_tiles(const __grid_constant__ strategy work, const int* ends) {
  const int expert = blockIdx.x * blockDim.x + threadIdx.x;
  const int rows = expert < experts ? ends[expert] - begin_of(ends, expert) : 0;
  __shared__ heddle::static_shared<strategy::push_storage> smem;
  work.push(smem, expert, (rows + tile_rows - 1) / tile_rows * col_tiles);
}

__global__ void multiply_items(const __grid_constant__ strategy work, const int* ends, matrices of) {
  __shared__ heddle::static_shared<strategy::storage> smem;
  for (const auto [expert, tile] : work.items<heddle::granularity::block>(smem)) {
    const int first = begin_of(ends, expert) + tile / col_tiles * tile_rows;
    multiply_tile(of, expert, first, ends[expert], tile % col_tiles);
  }
}

void expanded(const int* ends, matrices of) {
  constexpr int threads = 64;
  static_assert(experts <= threads);
  const heddle::expansion room{experts, 1ULL * (experts + rows_in_all / tile_rows) * col_tiles};
  static const device_array<char> state(strategy::state_bytes(room));
  const strategy work{room, state.data()};
  check(work.begin_async(nullptr));
  find_tiles<<<1, threads>>>(work, ends);
  check(heddle::launch(work.grid(multiply_items, tile_cols), nullptr, multiply_items, work, ends, of));
}

/// Returns where the rows of each expert end. The share of an expert is that of its place in a list of favourites; one
/// in four experts has no rows.
std::vector<int> ends_of_experts() {
  const auto share_of = [](int expert) { return expert % 4 == 3 ? 0 : 1.0 / (1 + expert * 37 % experts); };
  double all = 0, before = 0;
  for (int expert = 0; expert < experts; ++expert) all += share_of(expert);
  std::vector<int> ends(experts);
  for (int expert = 0; expert < experts; ++expert) {
    before += share_of(expert);
    ends[expert] = static_cast<int>(rows_in_all * (before / all));
  }
  ends.back() = rows_in_all;
  return ends;
}

int main() try {
  if (!has_gpu("experts")) return skipped;
  const std::vector<int> all_ends =
      ends_of_experts();  // known here to check the results; a launch reads them on the device
  const std::vector<float> all_a = whole_numbers(1ULL * rows_in_all * k), all_b = whole_numbers(1ULL * experts * k * n);
  const device_array<int> ends(all_ends);
  const device_array<float> a(all_a), b(all_b), c(1ULL * rows_in_all * n);
  const matrices of{a.data(), b.data(), c.data()};
  const auto expected = [&](int, int row, int col) {
    const auto expert = std::upper_bound(all_ends.begin(), all_ends.end(), row) - all_ends.begin();
    double sum = 0;
    for (int i = 0; i < k; ++i) sum += all_a[1ULL * row * k + i] * all_b[(1ULL * expert * k + i) * n + col];
    return sum;
  };
  return run(c, {1, rows_in_all, n, /*every row*/ 1, tile_cols}, expected,
             {{"before", [&] { before(ends.data(), of); }},
              {"after", [&] { after(ends.data(), of); }},
              {"by expansion", [&] { expanded(ends.data(), of); }}});
} catch (const std::exception& error) {
  return failed("experts", error);
}

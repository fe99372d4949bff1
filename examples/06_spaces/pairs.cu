// Distances of all pairs: one block per tile of a square, of which those below the diagonal return, as a first version
// has them; and the tiles of the pairs i < j alone.

#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/order/tile_of_block.hpp>
#include <heddle/order/triangular.hpp>

#include "common.hpp"

constexpr int points = 6007, width = 29;  // points, and numbers of each: primes, no tile divides them
constexpr int side = 32;                  // of a tile
constexpr int tiles = (points + side - 1) / side;

__device__ void measure_tile(const float* of, float* distances, int tile_row, int tile_col) {
  const int j = tile_col * side + threadIdx.x;
  for (int row = threadIdx.y; row < side; row += blockDim.y) {
    const int i = tile_row * side + row;
    if (i >= j || j >= points) continue;
    float sum = 0;
    for (int at = 0; at < width; ++at) {
      const float apart = of[at * points + i] - of[at * points + j];
      sum += apart * apart;
    }
    distances[1LL * i * points + j] = sum;
  }
}

__global__ void measure(const float* of, float* distances) {
  const int tile_row = blockIdx.y, tile_col = blockIdx.x;
  if (tile_col < tile_row) return;
  measure_tile(of, distances, tile_row, tile_col);
}

void before(const float* of, float* distances) {
  measure<<<dim3(tiles, tiles), dim3(side, 8)>>>(of, distances);
}

template <class Order>
__global__ void measure(const __grid_constant__ Order order, const float* of, float* distances) {
  const auto [tile_row, tile_col] = heddle::tile_of_block(order);
  measure_tile(of, distances, tile_row, tile_col);
}

void after(const float* of, float* distances) {
  const heddle::triangle pairs = heddle::triangle::pairs(points, side);
  const heddle::triangular order{heddle::thread_group_tiling{pairs.folded(), /*width*/ 8, heddle::axis::x}, pairs};
  measure<<<order.size(), dim3(side, 8)>>>(order, of, distances);
}

int main() try {
  if (!has_gpu("pairs")) return skipped;
  const std::vector<float> all = whole_numbers(1ULL * width * points);
  const device_array<float> of(all), distances(1ULL * points * points);
  const auto expected = [&](int, int i, int j) -> double {
    if (i >= j) return NAN;  // nothing is written
    double sum = 0;
    for (int at = 0; at < width; ++at) {
      const double apart = all[1ULL * at * points + i] - all[1ULL * at * points + j];
      sum += apart * apart;
    }
    return sum;
  };
  return run(distances, {1, points, points, side, 1}, expected,
             {{"before", [&] { before(of.data(), distances.data()); }},
              {"after", [&] { after(of.data(), distances.data()); }}});
} catch (const std::exception& error) {
  return failed("pairs", error);
}

// A blur of a volume: one block per tile and a slice per blockIdx.z, as a first version has it; and with sixteen slices
// in turn, so that blocks that run at the same time read the same slices.

#include <heddle/order/batched.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/order/tile_of_block.hpp>

#include "common.hpp"

constexpr int slices = 31, rows = 2029, cols = 2039;  // primes: no tile divides them
constexpr int radius = 2;                             // a voxel sums those of five slices, which have 83 MB
constexpr int tile_rows = 8, tile_cols = 32;
constexpr int row_tiles = (rows + tile_rows - 1) / tile_rows, col_tiles = (cols + tile_cols - 1) / tile_cols;

__host__ __device__ constexpr int clamped(int i, int size) {
  return i < 0 ? 0 : i < size ? i : size - 1;
}

/// Returns where a voxel is in memory. Beyond a face of the volume the nearest voxel counts.
__host__ __device__ constexpr long long place_of(int slice, int row, int col) {
  return (1LL * clamped(slice, slices) * rows + clamped(row, rows)) * cols + clamped(col, cols);
}

__device__ void blur_tile(const float* in, float* out, int slice, int tile_row, int tile_col) {
  const int row = tile_row * tile_rows + threadIdx.y, col = tile_col * tile_cols + threadIdx.x;
  if (row >= rows || col >= cols) return;
  float sum = 0;
  for (int z = -radius; z <= radius; ++z) {
    for (int y = -radius; y <= radius; ++y) {
      for (int x = -radius; x <= radius; ++x) sum += in[place_of(slice + z, row + y, col + x)];
    }
  }
  out[place_of(slice, row, col)] = sum;
}

__global__ void blur(const float* in, float* out) {
  const int slice = blockIdx.z, tile_row = blockIdx.y, tile_col = blockIdx.x;
  blur_tile(in, out, slice, tile_row, tile_col);
}

void before(const float* in, float* out) {
  blur<<<dim3(col_tiles, row_tiles, slices), dim3(tile_cols, tile_rows)>>>(in, out);
}

template <class Order>
__global__ void blur(const __grid_constant__ Order order, const float* in, float* out) {
  const auto [slice, tile_row, tile_col] = heddle::tile_of_block(order);
  blur_tile(in, out, slice, tile_row, tile_col);
}

void after(const float* in, float* out) {
  const heddle::batched order{heddle::row_major{{row_tiles, col_tiles}}, slices, /*interleave*/ 16};
  blur<<<order.size(), dim3(tile_cols, tile_rows)>>>(order, in, out);
}

int main() try {
  if (!has_gpu("volume")) return skipped;
  const std::vector<float> voxels = whole_numbers(1ULL * slices * rows * cols);
  const device_array<float> in(voxels), out(voxels.size());
  const auto expected = [&](int slice, int row, int col) {
    constexpr int side = 2 * radius + 1;
    double sum = 0;
    for (int i = 0; i < side * side * side; ++i) {
      const int z = i / (side * side), y = i / side % side, x = i % side;
      sum += voxels[place_of(slice + z - radius, row + y - radius, col + x - radius)];
    }
    return sum;
  };
  return run(out, {slices, rows, cols, tile_rows, tile_cols}, expected,
             {{"before", [&] { before(in.data(), out.data()); }}, {"after", [&] { after(in.data(), out.data()); }}});
} catch (const std::exception& error) {
  return failed("volume", error);
}

#pragma once

// The code that volume_before.cu and volume_after.cu share: the volume, and a host program that checks and times them.

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

/// Blurs a volume, checks a voxel of each tile and prints the median time.
template <class Launch>
int run(const char* name, Launch launch) try {
  if (!has_gpu(name)) return skipped;

  const std::vector<float> voxels = whole_numbers(1ULL * slices * rows * cols);
  const device_array<float> in(voxels), out(voxels.size());
  out.fill(0xff);
  const float milliseconds = median_time(5, [&] {
    launch(in.data(), out.data());
    return cudaGetLastError();
  });

  const std::vector<float> blurred = out.read();
  for (int slice = 0; slice < slices; ++slice) {
    for (int tile_row = 0; tile_row < row_tiles; ++tile_row) {
      for (int tile_col = 0; tile_col < col_tiles; ++tile_col) {
        const int row = place_in(tile_row, tile_rows, rows, tile_col);
        const int col = place_in(tile_col, tile_cols, cols, tile_row);
        double sum = 0;
        for (int z = -radius; z <= radius; ++z) {
          for (int y = -radius; y <= radius; ++y) {
            for (int x = -radius; x <= radius; ++x) sum += voxels[place_of(slice + z, row + y, col + x)];
          }
        }
        const double found = blurred[place_of(slice, row, col)];
        if (found != sum) return wrong(name, slice, row, col, found, sum);
      }
    }
  }
  return right(name, milliseconds);
} catch (const std::exception& error) {
  return failed(name, error);
}

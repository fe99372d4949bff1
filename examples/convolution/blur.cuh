#pragma once

#include <heddle/concepts.hpp>

#include "image.hpp"

// A separable blur. Along rows a block stages what its pixels share; along columns a thread keeps the sums of several
// rows, and reads each pixel above and below them once.

namespace convolution {

constexpr int most_radius = 64, most_rows_of_thread = 32;

/// From -radius to radius, and zeros beyond.
struct blur_weights {
  int radius;
  float of[2 * most_radius + 1 + 2 * most_rows_of_thread];

  __host__ __device__ float operator()(int tap) const { return of[tap + most_radius + most_rows_of_thread]; }
};

constexpr int tile_cols_of_rows = 256;

/// Tiles of 1 x 256 pixels: blocks of 256 threads.
template <heddle::tile_scheduler Scheduler, class Source, class Pixel>
__global__ void __launch_bounds__(tile_cols_of_rows)
    blur_rows(const __grid_constant__ Scheduler scheduler, const __grid_constant__ blur_weights weights, Source in,
              image<Pixel> out) {
  __shared__ typename Scheduler::storage smem;
  __shared__ float4 staged[tile_cols_of_rows + 2 * most_radius];
  const int thread = static_cast<int>(threadIdx.x);
  for (const auto [row, col] : scheduler.tiles(smem)) {
    const int first = col * tile_cols_of_rows - weights.radius;
    __syncthreads();  // the tile before has been read
    for (int at = thread; at < tile_cols_of_rows + 2 * weights.radius; at += tile_cols_of_rows) {
      staged[at] = in(first + at, row);
    }
    __syncthreads();
    float4 sum{0, 0, 0, 0};
    for (int tap = 0; tap <= 2 * weights.radius; ++tap) {
      const float weight = weights(tap - weights.radius);
      const float4 pixel = staged[thread + tap];
      sum.x += weight * pixel.x, sum.y += weight * pixel.y, sum.z += weight * pixel.z, sum.w += weight * pixel.w;
    }
    const int x = col * tile_cols_of_rows + thread;
    if (out.contains(x, row)) assign(out(x, row), sum);
  }
}

constexpr int tile_cols_of_columns = 128;

/// Tiles of `Rows` x 128 pixels: blocks of 128 threads, of which each has a column.
template <int Rows, heddle::tile_scheduler Scheduler, class Source, class Pixel>
__global__ void __launch_bounds__(tile_cols_of_columns)
    blur_columns(const __grid_constant__ Scheduler scheduler, const __grid_constant__ blur_weights weights, Source in,
                 image<Pixel> out) {
  __shared__ typename Scheduler::storage smem;
  for (const auto [row, col] : scheduler.tiles(smem)) {
    const int x = col * tile_cols_of_columns + static_cast<int>(threadIdx.x), y = row * Rows;
    if (x >= out.width) continue;
    float4 sums[Rows] = {};
    for (int at = -weights.radius; at < Rows + weights.radius; ++at) {
      const float4 pixel = in(x, y + at);
#pragma unroll
      for (int i = 0; i < Rows; ++i) {
        const float weight = weights(at - i);
        sums[i].x += weight * pixel.x, sums[i].y += weight * pixel.y;
        sums[i].z += weight * pixel.z, sums[i].w += weight * pixel.w;
      }
    }
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      if (y + i < out.height) assign(out(x, y + i), sums[i]);
    }
  }
}

}  // namespace convolution

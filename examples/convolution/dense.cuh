#pragma once

#include <heddle/concepts.hpp>

#include "image.hpp"

// A dense convolution of up to 33 x 33 taps. A block stages the pixels of its tile and what is round them in shared
// memory; a thread makes four pixels, one below the other, so that what it reads there is used four times.

namespace convolution {

constexpr int most_dense_radius = 16, dense_tile_rows = 32, dense_tile_cols = 32, dense_rows_of_thread = 4;
constexpr int dense_threads_y = dense_tile_rows / dense_rows_of_thread;

/// Row by row, (2 radius + 1)^2 of them, in memory of the device.
struct dense_weights {
  int radius;
  const float* of;
};

inline std::size_t dense_smem_bytes(int radius) {
  const int rows = dense_tile_rows + 2 * radius, cols = dense_tile_cols + 2 * radius;
  return sizeof(float4) * static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
}

/// Tiles of 32 x 32 pixels: blocks of 32 x 8 threads, with `dense_smem_bytes` of dynamic shared memory.
template <heddle::tile_scheduler Scheduler, class Source, class Pixel>
__global__ void __launch_bounds__(dense_tile_cols* dense_threads_y)
    dense(const __grid_constant__ Scheduler scheduler, dense_weights weights, Source in, image<Pixel> out) {
  extern __shared__ float4 staged_pixels[];
  __shared__ typename Scheduler::storage smem;
  __shared__ float staged_weights[(2 * most_dense_radius + 1) * (2 * most_dense_radius + 1)];
  const int radius = weights.radius, across = 2 * radius + 1, cols = dense_tile_cols + 2 * radius,
            rows = dense_tile_rows + 2 * radius;
  const int thread_x = static_cast<int>(threadIdx.x), thread_y = static_cast<int>(threadIdx.y);
  const int thread = thread_y * dense_tile_cols + thread_x;
  for (int at = thread; at < across * across; at += dense_tile_cols * dense_threads_y) {
    staged_weights[at] = weights.of[at];
  }
  for (const auto [row, col] : scheduler.tiles(smem)) {
    const int left = col * dense_tile_cols, top = row * dense_tile_rows;
    __syncthreads();  // the tile before has been read
    for (int at_y = thread_y; at_y < rows; at_y += dense_threads_y) {
      for (int at_x = thread_x; at_x < cols; at_x += dense_tile_cols) {
        staged_pixels[at_y * cols + at_x] = in(left - radius + at_x, top - radius + at_y);
      }
    }
    __syncthreads();
    const int first = thread_y * dense_rows_of_thread;
    float4 sums[dense_rows_of_thread] = {};
    for (int tap_x = 0; tap_x < across; ++tap_x) {
      for (int at_y = 0; at_y < across + dense_rows_of_thread - 1; ++at_y) {
        const float4 pixel = staged_pixels[(first + at_y) * cols + thread_x + tap_x];
#pragma unroll
        for (int i = 0; i < dense_rows_of_thread; ++i) {
          const int tap_y = at_y - i;
          if (tap_y < 0 || tap_y >= across) continue;
          const float weight = staged_weights[tap_y * across + tap_x];
          sums[i].x += weight * pixel.x, sums[i].y += weight * pixel.y;
          sums[i].z += weight * pixel.z, sums[i].w += weight * pixel.w;
        }
      }
    }
#pragma unroll
    for (int i = 0; i < dense_rows_of_thread; ++i) {
      const int x = left + thread_x, y = top + first + i;
      if (out.contains(x, y)) assign(out(x, y), sums[i]);
    }
  }
}

}  // namespace convolution

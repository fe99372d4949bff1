#pragma once

#include <heddle/concepts.hpp>

#include "image.hpp"

// A dense convolution of up to 33 x 33 taps. A block stages its tile and the pixels round it in shared memory. A thread
// makes four pixels, one below the other, so that it uses each pixel it reads four times.

namespace convolution {

constexpr int most_dense_radius = 16, dense_tile_rows = 32, dense_tile_cols = 32, dense_rows_of_thread = 4;
constexpr int dense_threads_y = dense_tile_rows / dense_rows_of_thread;

/// The weights of (2 radius + 1)^2 taps, row by row, in memory of the device.
struct dense_weights {
  int radius;
  const float* of;
};

/// Returns the rows that a thread reads for its four pixels: one per row of taps and three more, rounded up to fours.
/// Rows that a pixel does not reach have weights of zero.
__host__ __device__ constexpr int dense_rows_read(int radius) {
  return (2 * radius + 1 + dense_rows_of_thread - 1 + 3) / 4 * 4;
}
__host__ __device__ constexpr int dense_rows_staged(int radius) {
  return dense_tile_rows - dense_rows_of_thread + dense_rows_read(radius);
}

inline std::size_t dense_smem_bytes(int radius) {
  const int cols = dense_tile_cols + 2 * radius;
  return sizeof(float4) * static_cast<std::size_t>(dense_rows_staged(radius)) * static_cast<std::size_t>(cols);
}

/// The pass over tiles of 32 x 32 pixels, in blocks of 32 x 8 threads with `dense_smem_bytes` of dynamic shared memory.
/// Pixels must be finite: some are multiplied by zero.
template <heddle::tile_scheduler Scheduler, class Source, class Pixel>
__global__ void __launch_bounds__(dense_tile_cols* dense_threads_y)
    dense(const __grid_constant__ Scheduler scheduler, dense_weights weights, Source in, image<Pixel> out) {
  extern __shared__ float4 staged_pixels[];
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  __shared__ float4 staged_weights[2 * most_dense_radius + 1][dense_rows_read(most_dense_radius) / 4];
  const int radius = weights.radius, across = 2 * radius + 1, cols = dense_tile_cols + 2 * radius,
            rows = dense_rows_staged(radius), rows_read = dense_rows_read(radius);
  const int thread_x = static_cast<int>(threadIdx.x), thread_y = static_cast<int>(threadIdx.y);
  const int thread = thread_y * dense_tile_cols + thread_x;
  for (int at = thread; at < across * rows_read; at += dense_tile_cols * dense_threads_y) {
    const int tap_x = at / rows_read, tap_y = at % rows_read;
    reinterpret_cast<float*>(staged_weights[tap_x])[tap_y] = tap_y < across ? weights.of[tap_y * across + tap_x] : 0;
  }
  for (const auto [row, col] : scheduler.tiles(smem)) {
    const int left = col * dense_tile_cols, top = row * dense_tile_rows;
    __syncthreads();  // all threads have read the tile before
    for (int at_y = thread_y; at_y < rows; at_y += dense_threads_y) {
      for (int at_x = thread_x; at_x < cols; at_x += dense_tile_cols) {
        staged_pixels[at_y * cols + at_x] = in(left - radius + at_x, top - radius + at_y);
      }
    }
    __syncthreads();
    const int first = thread_y * dense_rows_of_thread;
    float4 sums[dense_rows_of_thread] = {};
    for (int tap_x = 0; tap_x < across; ++tap_x) {
      float window[8] = {};  // weights of the four rows before, and of these four
      const float4* pixel_at = &staged_pixels[first * cols + thread_x + tap_x];
      for (int at_y = 0; at_y < rows_read; at_y += 4) {
        const float4 four = staged_weights[tap_x][at_y / 4];
        window[4] = four.x, window[5] = four.y, window[6] = four.z, window[7] = four.w;
#pragma unroll
        for (int next = 0; next < 4; ++next, pixel_at += cols) {
          const float4 pixel = *pixel_at;
#pragma unroll
          for (int i = 0; i < dense_rows_of_thread; ++i) {
            const float weight = window[4 + next - i];
            sums[i].x += weight * pixel.x, sums[i].y += weight * pixel.y;
            sums[i].z += weight * pixel.z, sums[i].w += weight * pixel.w;
          }
        }
        window[0] = four.x, window[1] = four.y, window[2] = four.z, window[3] = four.w;
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

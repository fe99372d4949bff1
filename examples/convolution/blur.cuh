#pragma once

#include <cuda_pipeline_primitives.h>

#include <type_traits>

#include <heddle/concepts.hpp>

#include "image.hpp"

// A separable blur. Along rows, a block stages the pixels of its tile in shared memory. Along columns, a thread keeps
// the sums of several rows, and reads each pixel above and below them once.

namespace convolution {

constexpr int most_radius = 64, most_rows_of_thread = 32;

/// Rows come in turns of four. Three turns are on their way while one is used: the four turns of a part each have their
/// own place in shared memory.
constexpr int rows_of_turn = 4, turns_of_part = 4, rows_of_part = rows_of_turn * turns_of_part;

/// The weights of all taps, from `radius` before a pixel to `radius` behind it, with zeros on either side: a thread of
/// several rows multiplies by these too.
struct blur_weights {
  static constexpr int beyond = most_rows_of_thread + rows_of_part;

  int radius;
  alignas(16) float of[2 * most_radius + 1 + 2 * beyond];

  __host__ __device__ float& operator()(int tap) { return of[tap + beyond]; }
  __host__ __device__ float operator()(int tap) const { return of[tap + beyond]; }
};

constexpr int tile_cols_of_rows = 256;

/// The pass along rows, over tiles of 1 x 256 pixels in blocks of 256 threads.
template <heddle::tile_scheduler Scheduler, class Source, class Pixel>
__global__ void __launch_bounds__(tile_cols_of_rows)
    blur_rows(const __grid_constant__ Scheduler scheduler, const __grid_constant__ blur_weights weights, Source in,
              image<Pixel> out) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  __shared__ float4 staged[tile_cols_of_rows + 2 * most_radius];
  const int thread = static_cast<int>(threadIdx.x);
  for (const auto [row, col] : scheduler.tiles(smem)) {
    const int first = col * tile_cols_of_rows - weights.radius;
    __syncthreads();  // all threads have read the tile before
    for (int at = thread; at < tile_cols_of_rows + 2 * weights.radius; at += tile_cols_of_rows) {
      staged[at] = in(first + at, row);
    }
    __syncthreads();
    float4 sum{0, 0, 0, 0};
    for (int tap = 0; tap <= 2 * weights.radius; ++tap) {
      const float weight = weights(tap);
      const float4 pixel = staged[thread + tap];
      sum.x += weight * pixel.x, sum.y += weight * pixel.y, sum.z += weight * pixel.z, sum.w += weight * pixel.w;
    }
    const int x = col * tile_cols_of_rows + thread;
    if (out.contains(x, row)) assign(out(x, row), sum);
  }
}

constexpr int tile_cols_of_columns = 128;

/// A stretch of the rows that a thread reads: the first rows reach only its first sums, and the last only its last
/// ones.
enum class part { head, middle, tail };

/// Adds a turn of rows to the sums that they reach. The turn begins at row `First` of its part and at tap `at` of the
/// first sum.
template <part Part, int First, int Rows>
__device__ void add_turn(float4 (&sums)[Rows], const float4 (&pixels)[rows_of_turn], const blur_weights& weights,
                         int at) {
#pragma unroll
  for (int i = 0; i < rows_of_turn; ++i) {
#pragma unroll
    for (int sum = 0; sum < Rows; ++sum) {
      if (Part == part::head && sum > First + i) continue;
      if (Part == part::tail && sum < Rows - rows_of_part + First + i) continue;
      const float weight = weights(at + i - sum);
      sums[sum].x += weight * pixels[i].x, sums[sum].y += weight * pixels[i].y;
      sums[sum].z += weight * pixels[i].z, sums[sum].w += weight * pixels[i].w;
    }
  }
}

/// Rows on their way to shared memory. A thread has its own column of them and needs no barrier.
template <class Pixel>
using rows_ahead = Pixel[turns_of_part][rows_of_turn][tile_cols_of_columns];

/// Computes the sums of `Rows` pixels, one below the other. `walk` begins `radius` pixels above the first.
template <int Rows, class Walk, class Pixel>
__device__ void blur_column(float4 (&sums)[Rows], Walk walk, const blur_weights& weights, rows_ahead<Pixel>& ahead) {
  const auto ask = [&](int turn) {
#pragma unroll
    for (int i = 0; i < rows_of_turn; ++i) {
      __pipeline_memcpy_async(&ahead[turn][i][threadIdx.x], walk.next(), sizeof(Pixel));
    }
  };
  const auto add = [&]<part Part, int Turn>(std::integral_constant<part, Part>, std::integral_constant<int, Turn>,
                                            int at) {
    constexpr bool is_last_asked = Part == part::tail && Turn > 0;
    if constexpr (!is_last_asked) ask((Turn + turns_of_part - 1) % turns_of_part);
    __pipeline_commit();
    __pipeline_wait_prior(turns_of_part - 1);
    float4 pixels[rows_of_turn];
#pragma unroll
    for (int i = 0; i < rows_of_turn; ++i) pixels[i] = to_float4(ahead[Turn][i][threadIdx.x]);
    add_turn<Part, Turn * rows_of_turn>(sums, pixels, weights, at + Turn * rows_of_turn);
  };
  const auto add_part = [&](auto part, int at) {
    add(part, std::integral_constant<int, 0>{}, at);
    add(part, std::integral_constant<int, 1>{}, at);
    add(part, std::integral_constant<int, 2>{}, at);
    add(part, std::integral_constant<int, 3>{}, at);
  };
  static_assert(turns_of_part == 4);
#pragma unroll
  for (int turn = 0; turn < turns_of_part - 1; ++turn) {
    ask(turn);
    __pipeline_commit();
  }
  add_part(std::integral_constant<part, part::head>{}, 0);
  int at = rows_of_part;
  for (; at < 2 * weights.radius + Rows - rows_of_part; at += rows_of_part) {
    add_part(std::integral_constant<part, part::middle>{}, at);
  }
  add_part(std::integral_constant<part, part::tail>{}, at);
}

/// The pass along columns, over tiles of `Rows` x 128 pixels in blocks of 128 threads, one column per thread. Pixels
/// must be finite: some are multiplied by zero.
template <int Rows, heddle::tile_scheduler Scheduler, class Source, class Pixel>
__global__ void __launch_bounds__(tile_cols_of_columns, Rows > 16 ? 1 : 5)
    blur_columns(const __grid_constant__ Scheduler scheduler, const __grid_constant__ blur_weights weights, Source in,
                 image<Pixel> out) {
  static_assert(Rows >= 1 && Rows <= most_rows_of_thread);
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  __shared__ rows_ahead<Pixel> ahead;
  for (const auto [row, col] : scheduler.tiles(smem)) {
    const int x = col * tile_cols_of_columns + static_cast<int>(threadIdx.x), y = row * Rows;
    if (x >= out.width) continue;
    const int first = y - weights.radius, read_at_most = 2 * weights.radius + Rows + 2 * rows_of_part;
    float4 sums[Rows] = {};
    if (first >= 0 && first + read_at_most <= out.height) {
      blur_column(sums, in.down_inside(x, first), weights, ahead);
    } else {
      blur_column(sums, in.down(x, first), weights, ahead);
    }
    Pixel* pixel = &out(x, y);
#pragma unroll
    for (int i = 0; i < Rows; ++i, pixel += out.pitch) {
      if (y + i < out.height) assign(*pixel, sums[i]);
    }
  }
}

}  // namespace convolution

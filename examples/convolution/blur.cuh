#pragma once

#include <type_traits>

#include <heddle/concepts.hpp>

#include "image.hpp"

// A separable blur. Along rows a block stages what its pixels share; along columns a thread keeps the sums of several
// rows, and reads each pixel above and below them once.

namespace convolution {

constexpr int most_radius = 64, most_rows_of_thread = 32, rows_of_turn = 4, rows_of_step = 2 * rows_of_turn;
template <int Rows>
constexpr int rows_of_end = Rows < 2 * rows_of_step ? rows_of_step : 2 * rows_of_step;

/// From the first tap, `radius` before a pixel, to the last; and zeros as far beyond as a thread of several rows asks.
struct blur_weights {
  static constexpr int beyond = most_rows_of_thread + 4 * rows_of_step;

  int radius;
  alignas(16) float of[2 * most_radius + 1 + 2 * beyond];

  __host__ __device__ float& operator()(int tap) { return of[tap + beyond]; }
  __host__ __device__ float operator()(int tap) const { return of[tap + beyond]; }
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
      const float weight = weights(tap);
      const float4 pixel = staged[thread + tap];
      sum.x += weight * pixel.x, sum.y += weight * pixel.y, sum.z += weight * pixel.z, sum.w += weight * pixel.w;
    }
    const int x = col * tile_cols_of_rows + thread;
    if (out.contains(x, row)) assign(out(x, row), sum);
  }
}

constexpr int tile_cols_of_columns = 128;

/// Of the rows that a thread reads, the first reach only its first sums, and the last only its last ones.
enum class part { head, middle, tail };

/// Adds rows of the image to the sums that they reach: from row `First` of a part on, which is tap `at` of the first
/// sum.
template <part Part, int First, int Rows>
__device__ void add_turn(float4 (&sums)[Rows], const float4 (&pixels)[rows_of_turn], const blur_weights& weights,
                         int at) {
#pragma unroll
  for (int turn = 0; turn < rows_of_turn; ++turn) {
    const int begin = Part == part::tail ? Rows - rows_of_end<Rows> + First + turn : 0;
    const int end = Part == part::head ? First + turn + 1 : Rows;
#pragma unroll
    for (int i = begin; i < end; ++i) {
      const float weight = weights(at + turn - i);
      sums[i].x += weight * pixels[turn].x, sums[i].y += weight * pixels[turn].y;
      sums[i].z += weight * pixels[turn].z, sums[i].w += weight * pixels[turn].w;
    }
  }
}

/// The sums of `Rows` pixels, one below the other, from a walk that begins `radius` above the first. Of the rows that a
/// thread reads, some are always on their way while it adds those that came before.
template <int Rows, class Walk>
__device__ void blur_column(float4 (&sums)[Rows], Walk walk, const blur_weights& weights) {
  float4 even[rows_of_turn], odd[rows_of_turn];
  const auto read = [&](float4(&pixels)[rows_of_turn]) {
#pragma unroll
    for (int turn = 0; turn < rows_of_turn; ++turn) pixels[turn] = walk.next();
  };
  const auto step = [&]<part Part, int First>(std::integral_constant<part, Part>, std::integral_constant<int, First>,
                                              int at) {
    read(odd);
    add_turn<Part, First>(sums, even, weights, at);
    read(even);
    add_turn<Part, First + rows_of_turn>(sums, odd, weights, at + rows_of_turn);
  };
  const auto end = [&](auto part, int at) {
    step(part, std::integral_constant<int, 0>{}, at);
    if constexpr (rows_of_end < Rows >> rows_of_step) {
      step(part, std::integral_constant<int, rows_of_step>{}, at + rows_of_step);
    }
  };
  const int of_middle = 2 * weights.radius + Rows - 2 * rows_of_end<Rows>;
  const int steps = of_middle > 0 ? (of_middle + rows_of_step - 1) / rows_of_step : 0;
  read(even);
  end(std::integral_constant<part, part::head>{}, 0);
  for (int i = 0; i < steps; ++i) {
    step(std::integral_constant<part, part::middle>{}, std::integral_constant<int, 0>{},
         rows_of_end<Rows> + rows_of_step * i);
  }
  end(std::integral_constant<part, part::tail>{}, rows_of_end<Rows> + rows_of_step * steps);
}

/// Tiles of `Rows` x 128 pixels: blocks of 128 threads, of which each has a column. Weights of zero are multiplied too:
/// pixels are finite.
template <int Rows, heddle::tile_scheduler Scheduler, class Source, class Pixel>
__global__ void __launch_bounds__(tile_cols_of_columns, Rows > 16 ? 1 : 5)
    blur_columns(const __grid_constant__ Scheduler scheduler, const __grid_constant__ blur_weights weights, Source in,
                 image<Pixel> out) {
  static_assert(Rows >= rows_of_step && Rows <= most_rows_of_thread);
  __shared__ typename Scheduler::storage smem;
  for (const auto [row, col] : scheduler.tiles(smem)) {
    const int x = col * tile_cols_of_columns + static_cast<int>(threadIdx.x), y = row * Rows;
    if (x >= out.width) continue;
    const int first = y - weights.radius, read_at_most = 2 * weights.radius + Rows + 2 * rows_of_end<Rows>;
    float4 sums[Rows] = {};
    if (first >= 0 && first + read_at_most <= out.height) {
      blur_column(sums, in.down_inside(x, first), weights);
    } else {
      blur_column(sums, in.down(x, first), weights);
    }
    Pixel* pixel = &out(x, y);
#pragma unroll
    for (int i = 0; i < Rows; ++i, pixel += out.pitch) {
      if (y + i < out.height) assign(*pixel, sums[i]);
    }
  }
}

}  // namespace convolution

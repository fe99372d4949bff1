#pragma once

// The code that before.cu and after.cu share: the work on a tile, and a host program that checks and times it.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "../common/measure.hpp"

struct image {
  float4* pixels;
  int rows, cols;

  __device__ float4& at(int row, int col) const {
    return pixels[static_cast<long long>(min(max(row, 0), rows - 1)) * cols + col];
  }
};

constexpr int radius = 32;
constexpr int tile_rows = 16, tile_cols = 128;

/// Taps of the filter, with zeros on both sides for the rows of a tile out of a pixel's reach.
__constant__ float taps[2 * (radius + tile_rows)];

/// Filters one tile vertically: a thread reads each pixel of its column once and keeps 16 sums.
__device__ inline void blur_tile(image in, image out, int tile_row, int tile_col) {
  const int col = tile_col * tile_cols + static_cast<int>(threadIdx.x), first = tile_row * tile_rows;
  if (col >= in.cols) return;
  float4 sums[tile_rows] = {};
  for (int k = -radius; k < radius + tile_rows; ++k) {
    const float4 pixel = in.at(first + k, col);
#pragma unroll
    for (int i = 0; i < tile_rows; ++i) {
      const float tap = taps[k - i + radius + tile_rows - 1];
      sums[i].x += tap * pixel.x;
      sums[i].y += tap * pixel.y;
      sums[i].z += tap * pixel.z;
      sums[i].w += tap * pixel.w;
    }
  }
#pragma unroll
  for (int i = 0; i < tile_rows; ++i) {
    if (first + i < out.rows) out.at(first + i, col) = sums[i];
  }
}

/// Blurs a wide noisy picture, checks some of its pixels and prints the median time.
template <class Launch>
int run(const char* name, Launch launch) try {
  if (!has_gpu(name)) return skipped;

  std::vector<float> weights(2 * (radius + tile_rows), 0.0f);
  for (int k = -radius; k <= radius; ++k) {
    weights[k + radius + tile_rows - 1] = std::exp(-8.0f * k * k / (radius * radius)) / 20;
  }
  check(cudaMemcpyToSymbol(taps, weights.data(), sizeof(float) * weights.size()));

  const int rows = 2039, cols = 65521;  // primes: no tile divides them
  std::vector<float4> pixels(1ULL * rows * cols);
  unsigned noise = 1;
  for (float4& pixel : pixels) {
    noise = noise * 1664525u + 1013904223u;
    pixel = {(noise >> 8) * 0x1p-24f, (noise >> 9) * 0x1p-23f, (noise >> 10) * 0x1p-22f, 1};
  }
  const device_array<float4> in(pixels), out(pixels.size(), 0xff);

  const float milliseconds = median_time(11, [&] {
    launch(image{in.data(), rows, cols}, image{out.data(), rows, cols});
    return cudaGetLastError();
  });

  const std::vector<float4> blurred = out.read();
  for (int row = 0; row < rows; row += row % 7 + 1) {
    for (int col = row % 5; col < cols; col += 977) {
      double sum = 0;
      for (int k = -radius; k <= radius; ++k) {
        const int from = std::clamp(row + k, 0, rows - 1);
        sum += static_cast<double>(weights[k + radius + tile_rows - 1]) * pixels[1ULL * from * cols + col].y;
      }
      if (!(std::fabs(sum - blurred[1ULL * row * cols + col].y) < 1e-4)) {
        std::printf("%s: wrong at %d %d: %f instead of %f\n", name, row, col, blurred[1ULL * row * cols + col].y, sum);
        return 1;
      }
    }
  }
  std::printf("%s: %.3f ms, right\n", name, static_cast<double>(milliseconds));
  return 0;
} catch (const std::exception& error) {
  return failed(name, error);
}

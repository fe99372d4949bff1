#pragma once

// Shared by the programs of this folder: the body of a tile, and a host program that checks and times it.

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "../common/measure.hpp"

struct image {
  float4* pixels;
  int rows, cols;
};

constexpr int tile_rows = 16, tile_cols = 64, threads = 256;
constexpr int curve_points = 2048;

/// The exponents of the three channels of a picture.
struct grading {
  float red, green, blue;
};

/// Writes the curve to shared memory: the set-up of every block before its first tile.
__device__ inline void make_curve(float4* shared, grading by) {
  for (unsigned i = threadIdx.x; i < curve_points; i += blockDim.x) {
    const float value = (static_cast<float>(i) + 0.5f) / curve_points;
    shared[i] = {powf(value, by.red), powf(value, by.green), powf(value, by.blue), 0};
  }
  __syncthreads();
}

__host__ __device__ inline int point_of(float value) {
  const int point = static_cast<int>(value * curve_points);
  return point < 0 ? 0 : point >= curve_points ? curve_points - 1 : point;
}

/// Looks up each channel of a tile's pixels in the curve.
__device__ inline void grade_tile(image in, image out, const float4* curve, int tile_row, int tile_col) {
  constexpr int lines = tile_rows * tile_cols / threads;
  const int thread = static_cast<int>(threadIdx.x), col = tile_col * tile_cols + thread % tile_cols;
  const int first_row = tile_row * tile_rows + thread / tile_cols;
  const auto at = [&](int line) {
    return static_cast<long long>(first_row + line * (threads / tile_cols)) * in.cols + col;
  };
  const auto inside = [&](int line) { return first_row + line * (threads / tile_cols) < in.rows && col < in.cols; };
  float4 pixels[lines];
#pragma unroll
  for (int line = 0; line < lines; ++line) {
    if (inside(line)) pixels[line] = in.pixels[at(line)];
  }
#pragma unroll
  for (int line = 0; line < lines; ++line) {
    const float4 pixel = pixels[line];
    if (inside(line)) {
      out.pixels[at(line)] = {curve[point_of(pixel.x)].x, curve[point_of(pixel.y)].y, curve[point_of(pixel.z)].z,
                              pixel.w};
    }
  }
}

/// Grades a noisy picture, checks all of it and prints the median time.
template <class Launch>
int run(const char* name, Launch launch) try {
  if (!has_gpu(name)) return skipped;

  const int rows = 4093, cols = 4091;  // no multiples of a tile
  std::vector<float4> pixels(1ULL * rows * cols);
  const grading by{0.45f, 0.5f, 0.6f};
  unsigned noise = 1;
  const auto next = [&] { return static_cast<float>((noise = noise * 1664525u + 1013904223u) >> 8) * 0x1p-24f; };
  for (float4& pixel : pixels) pixel = {next(), next(), next(), next()};

  const device_array<float4> in(pixels), out(pixels.size(), 0xff);
  const image from{in.data(), rows, cols}, to{out.data(), rows, cols};
  const float milliseconds = median_time(21, [&] { return launch(from, to, by); });
  const std::vector<float4> graded = out.read();

  const auto differs = [](float result, float value, float exponent) {
    return !(std::fabs(result - std::pow((point_of(value) + 0.5f) / curve_points, exponent)) < 1e-5f);
  };
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const float4 before = pixels[i], after = graded[i];
    if (differs(after.x, before.x, by.red) || differs(after.y, before.y, by.green) ||
        differs(after.z, before.z, by.blue) || after.w != before.w) {
      std::printf("%s: pixel %zu is wrong\n", name, i);
      return 1;
    }
  }
  std::printf("%s: %.3f ms, right\n", name, static_cast<double>(milliseconds));
  return 0;
} catch (const std::exception& error) {
  return failed(name, error);
}

#pragma once

// What before.cu and after.cu share: they run a level of the denoiser on made-up images, check some rows on the host,
// and take the time.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "../common/measure.hpp"
#include "atrous.cuh"

using pixels_of = convolution::memory_source<float4>;
using inputs = convolution::atrous_inputs<pixels_of>;
using image = convolution::image<float4>;

constexpr int tile_rows = 8, tile_cols = 16, step = 64;

/// Runs the pass that `launch(in, out)` enqueues. Returns the program's exit status.
template <class Launch>
int run(const char* name, Launch launch) try {
  if (!has_gpu(name)) return skipped;

  const int width = 8191, height = 4093;  // ragged on purpose
  std::vector<float4> color(1ULL * width * height), surface(color.size());
  unsigned noise = 1;
  const auto next = [&] { return static_cast<float>((noise = noise * 1664525u + 1013904223u) >> 8) * 0x1p-24f; };
  for (float4& pixel : color) pixel = {next(), next(), next(), 1};
  for (float4& pixel : surface) pixel = {0, 0.6f, 0.8f, next()};

  const device_array<float4> colors_on_device(color), surfaces_on_device(surface), result(color.size(), 0xff);
  const auto inputs_in = [&](const float4* colors, const float4* surfaces) {
    return inputs{{{colors, width, height, width}}, {{surfaces, width, height, width}}, step, 4, 2, 4};
  };
  const inputs in = inputs_in(colors_on_device.data(), surfaces_on_device.data());
  const inputs on_host = inputs_in(color.data(), surface.data());
  const image out{result.data(), width, height, width};

  const float milliseconds = median_time(11, [&] { return launch(in, out); });
  const std::vector<float4> after = result.read();

  for (const int y : {0, 1, 777, height / 2, height - 1}) {
    for (int x = 0; x < width; ++x) {
      const float4 found = after[1ULL * y * width + x], expected = convolution::atrous_pixel(on_host, x, y);
      const float apart =
          std::max({std::fabs(found.x - expected.x), std::fabs(found.y - expected.y), std::fabs(found.z - expected.z)});
      if (apart <= 1e-4f) continue;
      std::printf("%s: pixel %d, %d is wrong\n", name, x, y);
      return 1;
    }
  }
  std::printf("%s: %.3f ms, right\n", name, static_cast<double>(milliseconds));
  return 0;
} catch (const std::exception& error) {
  return failed(name, error);
}

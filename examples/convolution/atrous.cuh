#pragma once

#include <nv/target>

#include <heddle/concepts.hpp>

#include "image.hpp"

// One level of an à-trous denoiser: 5 x 5 taps `step` pixels apart, weighted by how like the middle a tap is in colour,
// normal and depth. What wide steps read again lies far apart: this is the pass that an order is for.

namespace convolution {

/// Colour in xyz of one image, normal and depth in xyzw of another. The fourth number of the colour passes through.
template <class Source>
struct atrous_inputs {
  Source color, surface;
  int step;
  float of_color, of_normal, of_depth;  // how much of a difference counts, in powers of two
};

/// 1 4 6 4 1, of which 16 are one.
__host__ __device__ constexpr float atrous_weight(int tap) {
  return tap == 0 ? 0.375f : tap == 1 || tap == -1 ? 0.25f : 0.0625f;
}

__host__ __device__ inline float power_of_two(float exponent) {
  float result = 0;
  NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                    (asm("ex2.approx.ftz.f32 %0, %1;"
                         : "=f"(result)
                         : "f"(exponent));),
                    (result = exp2f(exponent);))
  return result;
}

template <class Source>
__host__ __device__ float4 atrous_pixel(const atrous_inputs<Source>& in, int x, int y) {
  const float4 color = in.color(x, y), surface = in.surface(x, y);
  float4 sum{0, 0, 0, 0};
  for (int row = -2; row <= 2; ++row) {
    for (int col = -2; col <= 2; ++col) {
      const float4 other = in.color(x + col * in.step, y + row * in.step);
      const float4 its_surface = in.surface(x + col * in.step, y + row * in.step);
      const float red = other.x - color.x, green = other.y - color.y, blue = other.z - color.z;
      const float apart = red * red + green * green + blue * blue;
      const float turned = 1 - (surface.x * its_surface.x + surface.y * its_surface.y + surface.z * its_surface.z);
      const float deeper = fabsf(surface.w - its_surface.w);
      const float weight = atrous_weight(row) * atrous_weight(col) *
                           power_of_two(-(in.of_color * apart + in.of_normal * turned + in.of_depth * deeper));
      sum.x += weight * other.x, sum.y += weight * other.y, sum.z += weight * other.z, sum.w += weight;
    }
  }
  const float all = 1 / sum.w;  // the middle alone weighs 0.14
  return {sum.x * all, sum.y * all, sum.z * all, color.w};
}

/// Tiles of `TileRows` x `TileCols` pixels, a thread for each.
template <int TileRows, int TileCols, heddle::tile_scheduler Scheduler, class Source, class Pixel>
__global__ void __launch_bounds__(TileRows* TileCols)
    atrous(const __grid_constant__ Scheduler scheduler, const __grid_constant__ atrous_inputs<Source> in,
           image<Pixel> out) {
  __shared__ typename Scheduler::storage smem;
  for (const auto [row, col] : scheduler.tiles(smem)) {
    const int x = col * TileCols + static_cast<int>(threadIdx.x), y = row * TileRows + static_cast<int>(threadIdx.y);
    if (out.contains(x, y)) assign(out(x, y), atrous_pixel(in, x, y));
  }
}

}  // namespace convolution

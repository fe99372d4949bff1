#pragma once

#include <nv/target>

#include <heddle/concepts.hpp>

#include "image.hpp"

// One level of an à-trous denoiser: 5 x 5 taps `step` pixels apart. The weight of a tap says how much it is like the
// middle in colour, normal and depth. With wide steps, the tiles that read the same pixels are far apart: an order can
// bring them together.

namespace convolution {

/// What a level reads: the colour in xyz of one image, the normal and the depth in xyzw of another. The fourth number
/// of the colour passes through.
template <class Source>
struct atrous_inputs {
  Source color, surface;
  int step;
  float of_color, of_normal, of_depth;  // how much a difference counts, in powers of two
};

/// The weights 1 4 6 4 1, over 16, as exponents of two.
__host__ __device__ constexpr float atrous_exponent(int tap) {
  return tap == 2 ? -1.4150375f : tap == 1 || tap == 3 ? -2 : -4;
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

/// Returns a denoised pixel. The weight of a tap is one power of two, whose exponent is a sum. Taps are read row by
/// row, and those of a row together, so that a thread waits five times and not 25. The middle row comes first: it has
/// the pixel itself.
template <class Source>
__host__ __device__ float4 atrous_pixel(const atrous_inputs<Source>& in, int x, int y) {
  decltype(in.color.column(0)) columns[5];
  for (int col = 0; col < 5; ++col) columns[col] = in.color.column(x + (col - 2) * in.step);
  float4 color, sum{0, 0, 0, 0};
  float normal_x, normal_y, normal_z, depth;
  const auto add_row = [&](int row) {
    const auto colors = in.color.row(y + (row - 2) * in.step);
    const auto surfaces = in.surface.row(y + (row - 2) * in.step);
    float4 other[5], its_surface[5];
    for (int col = 0; col < 5; ++col) other[col] = colors(columns[col]), its_surface[col] = surfaces(columns[col]);
    if (row == 2) {
      color = other[2], depth = its_surface[2].w;
      normal_x = in.of_normal * its_surface[2].x, normal_y = in.of_normal * its_surface[2].y;
      normal_z = in.of_normal * its_surface[2].z;
    }
    for (int col = 0; col < 5; ++col) {
      const float4 tap = other[col], at = its_surface[col];
      float exponent = atrous_exponent(row) + atrous_exponent(col) - in.of_normal;
      exponent += normal_x * at.x;  // these three add up to of_normal if the normals are alike
      exponent += normal_y * at.y;
      exponent += normal_z * at.z;
      const float red = tap.x - color.x, green = tap.y - color.y, blue = tap.z - color.z;
      exponent -= in.of_color * (red * red + green * green + blue * blue);
      exponent -= in.of_depth * fabsf(depth - at.w);
      const float weight = power_of_two(exponent);
      sum.x += weight * tap.x, sum.y += weight * tap.y, sum.z += weight * tap.z, sum.w += weight;
    }
  };
  add_row(2), add_row(0), add_row(1), add_row(3), add_row(4);  // not a loop: the compiler knows each row
  const float all = 1 / sum.w;                                 // the middle alone weighs 0.14
  return {sum.x * all, sum.y * all, sum.z * all, color.w};
}

/// The pass over tiles of `TileRows` x `TileCols` pixels, one thread per pixel.
template <int TileRows, int TileCols, heddle::tile_scheduler Scheduler, class Source, class Pixel>
__global__ void __launch_bounds__(TileRows* TileCols)
    atrous(const __grid_constant__ Scheduler scheduler, const __grid_constant__ atrous_inputs<Source> in,
           image<Pixel> out) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  for (const auto [row, col] : scheduler.tiles(smem)) {
    const int x = col * TileCols + static_cast<int>(threadIdx.x), y = row * TileRows + static_cast<int>(threadIdx.y);
    if (out.contains(x, y)) assign(out(x, y), atrous_pixel(in, x, y));
  }
}

}  // namespace convolution

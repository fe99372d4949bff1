#pragma once

#include "random.hpp"

// The noise of procedural textures.

namespace path_tracer {

PATH_TRACER_FN unsigned lattice(int x, int y, int z) {
  return mixed(static_cast<unsigned>(x) * 0x8da6b343u + static_cast<unsigned>(y) * 0xd8163841u +
               static_cast<unsigned>(z) * 0xcb1ab31fu);
}

/// Returns the dot product of a vector with one of twelve directions to the edges of a cube.
PATH_TRACER_FN float toward_edge(unsigned which, float x, float y, float z) {
  const unsigned edge = which & 15;
  const float u = edge < 8 ? x : y, v = edge < 4 ? y : edge == 12 || edge == 14 ? x : z;
  return ((edge & 1) == 0 ? u : -u) + ((edge & 2) == 0 ? v : -v);
}

/// Returns gradient noise, about -1 to 1.
PATH_TRACER_FN float noise(vec at) {
  const float fx = floorf(at.x), fy = floorf(at.y), fz = floorf(at.z);
  const int ix = static_cast<int>(fx), iy = static_cast<int>(fy), iz = static_cast<int>(fz);
  const float x = at.x - fx, y = at.y - fy, z = at.z - fz;
  const auto fade = [](float t) { return t * t * t * fmaf(t, fmaf(t, 6, -15), 10); };
  const float u = fade(x), v = fade(y), w = fade(z);
  float planes[2];
  for (int dz = 0; dz < 2; ++dz) {
    float rows[2];
    for (int dy = 0; dy < 2; ++dy) {
      const auto far_y = static_cast<float>(dy), far_z = static_cast<float>(dz);
      rows[dy] = mix(toward_edge(lattice(ix, iy + dy, iz + dz), x, y - far_y, z - far_z),
                     toward_edge(lattice(ix + 1, iy + dy, iz + dz), x - 1, y - far_y, z - far_z), u);
    }
    planes[dz] = mix(rows[0], rows[1], v);
  }
  return mix(planes[0], planes[1], w);
}

/// Returns the sum of octaves of noise, each twice as fine and half as strong as the one before.
PATH_TRACER_CALL float fractal(vec at, int octaves) {
  float sum = 0, strength = 0.5f;
  for (int octave = 0; octave < octaves; ++octave, strength *= 0.5f) {
    sum = fmaf(noise(at), strength, sum);
    at = vec{fmaf(at.x, 2.03f, 17.1f), fmaf(at.y, 2.01f, 3.7f), fmaf(at.z, 2.02f, 9.2f)};
  }
  return sum;
}

/// Returns the same sum of absolute values, which has creases.
PATH_TRACER_CALL float turbulence(vec at, int octaves) {
  float sum = 0, strength = 0.5f;
  for (int octave = 0; octave < octaves; ++octave, strength *= 0.5f) {
    sum = fmaf(fabsf(noise(at)), strength, sum);
    at = vec{fmaf(at.x, 2.03f, 11.3f), fmaf(at.y, 2.01f, 5.9f), fmaf(at.z, 2.02f, 7.7f)};
  }
  return sum;
}

/// The distances from a point to the nearest two of points scattered one per cell, and a number of the nearest.
struct cell {
  float nearest, second;
  unsigned number;
};
PATH_TRACER_CALL cell cells(vec at) {
  const float fx = floorf(at.x), fy = floorf(at.y), fz = floorf(at.z);
  const int ix = static_cast<int>(fx), iy = static_cast<int>(fy), iz = static_cast<int>(fz);
  cell found{1e9f, 1e9f, 0};
  for (int around = 0; around < 27; ++around) {
    const int dx = around % 3 - 1, dy = around / 3 % 3 - 1, dz = around / 9 - 1;
    const unsigned number = lattice(ix + dx, iy + dy, iz + dz);
    const vec point{fx + static_cast<float>(dx) + static_cast<float>(number & 1023) * 0x1p-10f,
                    fy + static_cast<float>(dy) + static_cast<float>(number >> 10 & 1023) * 0x1p-10f,
                    fz + static_cast<float>(dz) + static_cast<float>(number >> 20 & 1023) * 0x1p-10f};
    const vec way = point - at;
    const float square = dot(way, way);
    if (square < found.nearest) {
      found = {square, found.nearest, number};
    } else {
      found.second = fminf(found.second, square);
    }
  }
  return {sqrtf(found.nearest), sqrtf(found.second), found.number};
}

}  // namespace path_tracer

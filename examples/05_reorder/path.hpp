#pragma once

#include <cuda_runtime.h>

// Paths that hit one material after another.

/// A path through the scene. Its result does not depend on the thread that works on it.
struct path {
  unsigned number, seed, material, light;
};

__host__ __device__ inline unsigned mix(unsigned seed) {
  seed = (seed ^ seed >> 16) * 0x7feb352du;
  seed = (seed ^ seed >> 15) * 0x846ca68bu;
  return seed ^ seed >> 16;
}

__host__ __device__ inline path path_of(unsigned number) {
  const unsigned seed = mix(number + 1);
  return {number, seed, seed % 8, 0};
}

/// Does one bounce: eight materials, each with code of its own.
__host__ __device__ inline path bounced(path on) {
  unsigned light = on.seed;
  switch (on.material) {
    case 0:
      for (int turn = 0; turn < 64; ++turn) light = light * 0x01000193u ^ light >> 7;
      break;
    case 1:
      for (int turn = 0; turn < 64; ++turn) light = (light ^ light << 13) + 0x9e3779b9u;
      break;
    case 2:
      for (int turn = 0; turn < 64; ++turn) light = light * light + (light | 5);
      break;
    case 3:
      for (int turn = 0; turn < 64; ++turn) light = (light << 5 | light >> 27) * 0xcc9e2d51u;
      break;
    case 4:
      for (int turn = 0; turn < 64; ++turn) light = (light + 0x7ed55d16u) ^ light << 12;
      break;
    case 5:
      for (int turn = 0; turn < 64; ++turn) light = (light ^ light >> 11) * 0x27d4eb2fu;
      break;
    case 6:
      for (int turn = 0; turn < 64; ++turn) light = light * 3 ^ (light >> 3) * 5;
      break;
    default:
      for (int turn = 0; turn < 64; ++turn) light = (light ^ 61) + (light << 3) - (light >> 9);
      break;
  }
  on.light += light;
  on.seed = mix(on.seed + light);
  on.material = on.seed % 8;
  return on;
}

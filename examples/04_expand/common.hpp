#pragma once

// What before.cu and after.cu share: meshes of meshlets, the tests of what is seen, and a host program that checks the
// result and measures the time.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "../common/measure.hpp"

/// Meshes: the number of meshlets of each, and the first of them among all meshlets.
struct scene {
  const unsigned *meshlets, *first;
  unsigned meshes;
  float camera;
  unsigned char* seen;  // the result for each meshlet
};

__host__ __device__ inline float noise(unsigned seed) {
  seed = (seed ^ seed >> 16) * 0x7feb352du;
  seed = (seed ^ seed >> 15) * 0x846ca68bu;
  return static_cast<float>((seed ^ seed >> 16) >> 8) * 0x1p-24f;
}

/// Returns whether a mesh is in view. One in four is.
__host__ __device__ inline bool mesh_is_seen(float camera, unsigned mesh) {
  const float place = noise(mesh) - camera;
  return place > 0 && place < 0.25f;
}

/// Returns whether a meshlet faces the camera.
__host__ __device__ inline bool meshlet_is_seen(float camera, unsigned mesh, unsigned meshlet) {
  float facing = noise(mesh * 977 + meshlet) - camera;
  for (int turn = 0; turn < 16; ++turn) facing = facing * facing - 0.25f;  // some work per meshlet
  return facing > -0.2f;
}

__device__ inline unsigned meshlets_of(scene all, unsigned mesh) {
  return mesh < all.meshes && mesh_is_seen(all.camera, mesh) ? all.meshlets[mesh] : 0;
}

__device__ inline void cull_meshlet(scene all, unsigned mesh, unsigned meshlet) {
  all.seen[all.first[mesh] + meshlet] = meshlet_is_seen(all.camera, mesh, meshlet);
}

/// Culls a scene by `launch`, checks every meshlet and prints the median time.
template <class Launch>
int run(const char* name, Launch launch) try {
  if (!has_gpu(name)) return skipped;

  const unsigned meshes = 300'001;
  std::vector<unsigned> meshlets(meshes), first(meshes);
  unsigned total = 0;
  for (unsigned mesh = 0; mesh < meshes; ++mesh) {
    // Most meshes are small, and a few have up to 4000 meshlets.
    meshlets[mesh] = static_cast<unsigned>(std::min(4000.0f, 4.0f / (noise(~mesh) + 1e-4f)));
    first[mesh] = total;
    total += meshlets[mesh];
  }
  const device_array<unsigned> meshlets_on_device(meshlets), first_on_device(first);
  const device_array<unsigned char> seen_on_device(total, 0);
  const scene all{meshlets_on_device.data(), first_on_device.data(), meshes, 0.3f, seen_on_device.data()};

  const float milliseconds = median_time(21, [&] { return launch(all, total); });
  const std::vector<unsigned char> seen = seen_on_device.read();

  // Values close to the limit may be rounded differently on the host: one meshlet in 1000 may differ.
  unsigned wrong = 0;
  for (unsigned mesh = 0; mesh < meshes; ++mesh) {
    for (unsigned meshlet = 0; meshlet < meshlets[mesh]; ++meshlet) {
      const bool is_seen = mesh_is_seen(all.camera, mesh) && meshlet_is_seen(all.camera, mesh, meshlet);
      wrong += (seen[first[mesh] + meshlet] != 0) != is_seen;
    }
  }
  if (wrong > total / 1000) {
    std::printf("%s: %u of %u meshlets are wrong\n", name, wrong, total);
    return 1;
  }
  std::printf("%s: %.3f ms, right\n", name, static_cast<double>(milliseconds));
  return 0;
} catch (const std::exception& error) {
  return failed(name, error);
}

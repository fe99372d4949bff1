#pragma once

// What before.cu and after.cu share: meshes of meshlets, whether they are seen, and a host program that checks and
// times.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "../common/measure.hpp"

/// Meshes: how many meshlets each has, and where its own begin among all of them.
struct scene {
  const unsigned *meshlets, *first;
  unsigned meshes;
  float camera;
  unsigned char* seen;  // of each meshlet
};

__host__ __device__ inline float noise(unsigned seed) {
  seed = (seed ^ seed >> 16) * 0x7feb352du;
  seed = (seed ^ seed >> 15) * 0x846ca68bu;
  return static_cast<float>((seed ^ seed >> 16) >> 8) * 0x1p-24f;
}

/// One mesh in four is in view.
__host__ __device__ inline bool mesh_is_seen(float camera, unsigned mesh) {
  const float place = noise(mesh) - camera;
  return place > 0 && place < 0.25f;
}

/// A meshlet faces the camera or not.
__host__ __device__ inline bool meshlet_is_seen(float camera, unsigned mesh, unsigned meshlet) {
  float facing = noise(mesh * 977 + meshlet) - camera;
  for (int turn = 0; turn < 16; ++turn) facing = facing * facing - 0.25f;  // and that takes some time to find out
  return facing > -0.2f;
}

__device__ inline unsigned meshlets_of(scene all, unsigned mesh) {
  return mesh < all.meshes && mesh_is_seen(all.camera, mesh) ? all.meshlets[mesh] : 0;
}

__device__ inline void cull_meshlet(scene all, unsigned mesh, unsigned meshlet) {
  all.seen[all.first[mesh] + meshlet] = meshlet_is_seen(all.camera, mesh, meshlet);
}

/// Culls a scene, checks every meshlet and prints the median time.
template <class Launch>
int run(const char* name, Launch launch) try {
  if (!has_gpu(name)) return skipped;

  const unsigned meshes = 300'001;
  std::vector<unsigned> meshlets(meshes), first(meshes);
  unsigned total = 0;
  for (unsigned mesh = 0; mesh < meshes; ++mesh) {
    // Most are small, and some are not.
    meshlets[mesh] = static_cast<unsigned>(std::min(4000.0f, 4.0f / (noise(~mesh) + 1e-4f)));
    first[mesh] = total;
    total += meshlets[mesh];
  }
  const device_array<unsigned> meshlets_on_device(meshlets), first_on_device(first);
  const device_array<unsigned char> seen_on_device(total);
  seen_on_device.fill(0);
  const scene all{meshlets_on_device.data(), first_on_device.data(), meshes, 0.3f, seen_on_device.data()};

  const float milliseconds = median_time(21, [&] { return launch(all, total); });
  const std::vector<unsigned char> seen = seen_on_device.read();

  // What is close to the limit may be rounded to the other side of it.
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

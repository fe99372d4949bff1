// One thread per mesh: it culls the meshlets of its mesh one after another, while its neighbours have none left.
// after.cu is the same program with heddle.

#include "common.hpp"

__global__ void cull(scene all) {
  const unsigned mesh = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned n = meshlets_of(all, mesh);
  for (unsigned meshlet = 0; meshlet < n; ++meshlet) cull_meshlet(all, mesh, meshlet);
}

int main() {
  return run("before", [](scene all, unsigned) {
    cull<<<(all.meshes + 255) / 256, 256>>>(all);
    return cudaGetLastError();
  });
}

// before.cu in two passes: the first pushes meshes, and the second gives every thread its share of their meshlets.
// Another strategy is another type.

#include <heddle/expand/packed_prefix.hpp>

#include "common.hpp"

using strategy = heddle::packed_prefix;

template <heddle::expander Work>
__global__ void cull(const __grid_constant__ Work work, scene all) {
  const unsigned mesh = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned n = meshlets_of(all, mesh);
  __shared__ heddle::static_shared<typename Work::push_storage> smem;
  work.push(smem, mesh, n);
}
template <heddle::expander Work>
__global__ void cull_meshlets(const __grid_constant__ Work work, scene all) {
  __shared__ heddle::static_shared<typename Work::storage> smem;
  for (const auto [mesh, meshlet] : work.items(smem)) cull_meshlet(all, mesh, meshlet);
}

int main() {
  void* state = nullptr;
  const int result = run("after", [&](scene all, unsigned meshlets) {
    const unsigned blocks = (all.meshes + 255) / 256;
    const heddle::expansion room{256ull * blocks, meshlets};
    if (state == nullptr) check(cudaMalloc(&state, strategy::state_bytes(room)));
    const strategy work{room, state};

    check(work.begin_async(nullptr));
    cull<<<blocks, 256>>>(work, all);
    check(cudaGetLastError());
    return heddle::launch(work.grid(cull_meshlets<strategy>, 256), nullptr, cull_meshlets<strategy>, work, all);
  });
  if (state != nullptr) check(cudaFree(state));
  return result;
}

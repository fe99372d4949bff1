// before.cu with a probe: what would reordering gain?

#include <heddle/reorder/key_probe.hpp>

#include "common.hpp"

using materials = heddle::key_probe<3>;

__global__ void trace(unsigned* light, materials probe) {
  path mine = path_of(blockIdx.x * blockDim.x + threadIdx.x);
  for (int bounce = 0; bounce < 8; ++bounce) {
    probe.see(mine.material);
    mine = bounced(mine);
  }
  light[mine.number] = mine.light;
}

int main() {
  materials probe{};
  const int result = run("probe", [&](unsigned* light, unsigned paths) {
    if (probe.all == nullptr) {
      check(cudaMalloc(&probe.all, sizeof *probe.all));
      check(cudaMemset(probe.all, 0, sizeof *probe.all));
    }
    trace<<<paths / 256, 256>>>(light, probe);
  });
  if (result != 0) return result;

  materials::counts counts;
  check(cudaMemcpy(&counts, probe.all, sizeof counts, cudaMemcpyDeviceToHost));
  check(cudaFree(probe.all));
  std::printf("a warp has %.1f materials, sorted %.1f\n", counts.keys_of_warp(), counts.sorted_keys_of_warp(256));
  for (const double clocks : {10.0, 50.0, 200.0}) {
    std::printf("if one takes it %3.0f clocks: %.2f times as fast\n", clocks,
                counts.gain(256, clocks, sizeof(path) / 4));
  }
  return 0;
}

// Paths stay in the threads that began them: a warp runs the code of every material that one of its threads hits.

#include "common.hpp"

__global__ void trace(unsigned* light) {
  path mine = path_of(blockIdx.x * blockDim.x + threadIdx.x);
  for (int bounce = 0; bounce < 8; ++bounce) {
    mine = bounced(mine);
  }
  light[mine.number] = mine.light;
}

int main() {
  return run("before", [](unsigned* light, unsigned paths) { trace<<<paths / 256, 256>>>(light); });
}

#include "device_launch.cuh"

#include "common/device.hpp"

namespace heddle_bench {

namespace {

template <consumer Consumer>
__global__ void items_of(unsigned source, unsigned n, unsigned begin, use<Consumer> with) {
  const unsigned rank = blockIdx.x * blockDim.x + threadIdx.x;
  if (rank < n) with(begin + rank, {source, rank});
}

/// Launches a grid per source. Only later work in the stream of this kernel waits for these grids.
template <consumer Consumer>
__global__ void launch_each(const unsigned* n, const unsigned* begin, unsigned size, use<Consumer> with) {
  const unsigned source = blockIdx.x * blockDim.x + threadIdx.x;
  if (source >= size || n[source] == 0) return;
  const unsigned threads = n[source] <= 32 ? 32 : 256, blocks = (n[source] - 1) / threads + 1;
  items_of<<<blocks, threads, 0, cudaStreamFireAndForget>>>(source, n[source], begin[source], with);
}

}  // namespace

bool makes_room_for_device_launches(unsigned launches) {
  cudaFuncAttributes found;
  if (cudaFuncGetAttributes(&found, launch_each<consumer::store>) != cudaSuccess) {
    (void)cudaGetLastError();
    return false;
  }
  check(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, launches));
  return true;
}

template <consumer Consumer>
void launch_from_device(const unsigned* n, const unsigned* begin, unsigned size, use<Consumer> with) {
  launch_each<<<(size + 127) / 128, 128>>>(n, begin, size, with);
}

template void launch_from_device(const unsigned*, const unsigned*, unsigned, use<consumer::store>);
template void launch_from_device(const unsigned*, const unsigned*, unsigned, use<consumer::gather>);
template void launch_from_device(const unsigned*, const unsigned*, unsigned, use<consumer::null>);

}  // namespace heddle_bench

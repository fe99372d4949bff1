#pragma once

#include <heddle/detail/ptx.hpp>
#include <heddle/schedule/launch_config.hpp>

namespace heddle::inline v0 {

/// Which multiprocessors lie together, in a GPC: they load by one way from L2, on which requests for the same line are
/// merged if they come at about the same time.
struct chip_map {
  static constexpr int most = 256;  // more multiprocessors than any GPU has

  int multiprocessors = 0;
  unsigned char group[most]{};  // of a multiprocessor, by its number
};

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

struct [[nodiscard]] found_chip_map {
  chip_map map;
  cudaError_t error;
};

namespace detail {

template <int Unused>
__global__ void tell_multiprocessor(unsigned* of_block) {
  if (threadIdx.x == 0) of_block[blockIdx.x] = ptx::smid();
#if __CUDA_ARCH__ >= 700
  __nanosleep(20000);  // so that the others find this multiprocessor taken, and go elsewhere
#endif
}

}  // namespace detail

/// The map of the current device, as clusters show it: the blocks of one lie together. Takes some milliseconds, waits
/// for the device, and is not for a stream that is captured. Without clusters all are one group.
template <int Unused = 0>
found_chip_map find_chip_map() {
  found_chip_map found{{}, cudaSuccess};
  const auto failed = [&](cudaError_t error) {
    if (found.error == cudaSuccess) found.error = error;
    return found.error != cudaSuccess;
  };
  int device = 0, count = 0, smem = 0, major = 0;
  if (failed(cudaGetDevice(&device)) ||
      failed(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device)) ||
      failed(cudaDeviceGetAttribute(&smem, cudaDevAttrMaxSharedMemoryPerBlockOptin, device)) ||
      failed(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device))) {
    return found;
  }
  if (count > chip_map::most) count = chip_map::most;
  found.map.multiprocessors = count;
  if (major < 9) return found;

  // Groups join wherever a cluster touches both: everyone points to one of its group, the first one to itself.
  int joined[chip_map::most];
  for (int i = 0; i < chip_map::most; ++i) joined[i] = i;
  const auto first_of = [&](unsigned i) {
    int at = static_cast<int>(i % chip_map::most);
    while (joined[at] != at) at = joined[at];
    return at;
  };
  const auto kernel = detail::tell_multiprocessor<Unused>;
  unsigned* of_block = nullptr;
  cudaStream_t stream = nullptr;
  failed(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)) ||
      failed(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)) ||
      failed(cudaMallocManaged(&of_block, chip_map::most * sizeof(unsigned)));
  for (unsigned size = 16; size > 1; size /= 2) {
    for (int round = 0; round < 4 && found.error == cudaSuccess; ++round) {
      // A block takes a whole multiprocessor.
      const launch_config grid = detail::all_of(reinterpret_cast<const void*>(kernel), 32, static_cast<unsigned>(smem),
                                                static_cast<unsigned>(count) / size, size);
      int resident = 0;
      if (failed(grid.error) || failed(cudaOccupancyMaxActiveClusters(&resident, kernel, &grid.config))) break;
      if (resident == 0) break;  // so large a cluster is nowhere
      if (failed(launch(grid, stream, kernel, of_block)) || failed(cudaStreamSynchronize(stream))) break;
      for (unsigned block = 0; block < grid.config.gridDim.x; ++block) {
        joined[first_of(of_block[block])] = first_of(of_block[block / size * size]);
      }
    }
  }
  cudaFree(of_block);
  if (stream != nullptr) cudaStreamDestroy(stream);

  unsigned char number[chip_map::most], groups = 0;
  for (int i = 0; i < count; ++i) {
    if (joined[i] == i) number[i] = groups++;
  }
  for (int i = 0; i < count; ++i) found.map.group[i] = number[first_of(static_cast<unsigned>(i))];
  return found;
}

#endif

}  // namespace heddle::inline v0

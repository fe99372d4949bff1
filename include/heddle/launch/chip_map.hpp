#pragma once

#include <heddle/detail/ptx.hpp>
#include <heddle/launch/launch_shape.hpp>
#include <heddle/result.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Tells which multiprocessors of a GPU lie in the same group (GPC).
///
/// The multiprocessors of a GPC share one path from L2, which merges requests for the same line that come at about the
/// same time. `find_chip_map` fills a map, `seats` uses it.
///
///   multiprocessor     0 1 2 3 4 5
///   group              0 1 0 1 0 1
///
/// **Example** (tests/gpu/seats.cu):
///
///     const auto [map, error] = find_chip_map();
///     …
///     const seats all(found_map(), static_cast<int>(blocks), run, state.data());
struct chip_map {
  static constexpr int most = 256;               // more multiprocessors than any GPU has
  static constexpr unsigned char nowhere = 255;  // the group of a number that no multiprocessor has, as under MPS

  int multiprocessors = 0;      // the end of the multiprocessors' numbers
  unsigned char group[most]{};  // per multiprocessor, by its number
};

#if !defined(__CUDACC_RTC__)
namespace detail {

/// The multiprocessors seen so far, in groups. Two groups join when a member of each is seen in one cluster.
class seen_multiprocessors {
 public:
  seen_multiprocessors() {
    for (int& first : first_) first = unseen;
  }

  /// Two multiprocessors exist and lie together. Numbers that a map has no room for are ignored.
  void see(unsigned one, unsigned other) {
    if (one >= chip_map::most || other >= chip_map::most) return;
    const int of_one = group_of(static_cast<int>(one)), of_other = group_of(static_cast<int>(other));
    first_[of_one] = of_other;
  }

  chip_map map() const {
    chip_map found;
    unsigned char number[chip_map::most], groups = 0;
    for (int i = 0; i < chip_map::most; ++i) {
      if (first_[i] == i) number[i] = groups;
      if (first_[i] == i && groups + 1 < chip_map::nowhere) ++groups;  // past 255 groups, the rest share one
      if (first_[i] != unseen) found.multiprocessors = i + 1;
    }
    for (int i = 0; i < chip_map::most; ++i) {
      found.group[i] = first_[i] == unseen ? chip_map::nowhere : number[first_of(i)];
    }
    return found;
  }

 private:
  static constexpr int unseen = -1;

  int group_of(int number) {
    if (first_[number] == unseen) first_[number] = number;
    return first_of(number);
  }
  int first_of(int at) const {
    while (first_[at] != at) at = first_[at];
    return at;
  }

  int first_[chip_map::most];  // union-find: the parent of each; the first of a group is its own
};

}  // namespace detail
#endif

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

namespace detail {

template <int>
__global__ void tell_multiprocessor(unsigned* of_block) {
  if (threadIdx.x == 0) of_block[blockIdx.x] = ptx::smid();
#if __CUDA_ARCH__ >= 700
  __nanosleep(20000);  // keeps this multiprocessor occupied, so that the other blocks go elsewhere
#endif
}

/// The function behind `find_chip_map`. A member of a class template is compiled where it is called: only a program
/// that calls it has the kernel.
template <class = void>
struct chip_map_finder {
  result<chip_map> operator()() const {
    result<chip_map> found{};
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

    const auto kernel = tell_multiprocessor<0>;
    const bool has_clusters = major >= 9;
    unsigned *on_device = nullptr, of_block[chip_map::most];
    cudaStream_t stream = nullptr;
    failed(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)) ||
        failed(cudaMalloc(&on_device, sizeof of_block));
    seen_multiprocessors seen;
    for (unsigned size = has_clusters ? 16 : 1; size > 0; size /= 2) {
      const unsigned clusters = static_cast<unsigned>(count) / size;
      for (int round = 0; clusters > 0 && round < 4 && found.error == cudaSuccess; ++round) {
        // Each block takes all shared memory, and so a whole multiprocessor.
        const launch_config grid =
            all_of(reinterpret_cast<const void*>(kernel), 32, static_cast<unsigned>(smem), clusters, size);
        int resident = 1;
        const cudaError_t error = grid.error != cudaSuccess || size == 1
                                      ? grid.error
                                      : cudaOccupancyMaxActiveClusters(&resident, kernel, &grid.config);
        if (size > 8 && error != cudaSuccess) {
          (void)cudaGetLastError();  // some chips refuse clusters of 16, others have no room for them
          break;
        }
        if (failed(error) || resident == 0) break;  // a cluster of this size fits nowhere
        const unsigned blocks = grid.config.gridDim.x;
        if (failed(launch(grid, stream, kernel, on_device)) ||
            failed(cudaMemcpyAsync(of_block, on_device, blocks * sizeof(unsigned), cudaMemcpyDeviceToHost, stream)) ||
            failed(cudaStreamSynchronize(stream))) {
          break;
        }
        for (unsigned block = 0; block < blocks; ++block) {
          seen.see(of_block[block], of_block[has_clusters ? block / size * size : 0]);
        }
      }
    }
    if (on_device != nullptr) failed(cudaFree(on_device));
    if (stream != nullptr) failed(cudaStreamDestroy(stream));
    if (found.error == cudaSuccess) found.value = seen.map();
    return found;
  }
};

}  // namespace detail

/// `find_chip_map()` finds the map of the current device, by launching clusters: the blocks of a cluster lie in one
/// GPC.
///
/// **Preconditions**: no stream of the device is being captured.
///
/// **Effects**: allocates and frees device memory, makes a stream, launches kernels, and waits for them. On a GPU
/// without clusters (before sm_90) all multiprocessors are one group. A multiprocessor that another kernel holds
/// meanwhile may be missing from the map.
///
/// **Cost**: some milliseconds.
inline constexpr detail::chip_map_finder<> find_chip_map;

#endif

}}  // namespace heddle::HEDDLE_ABI

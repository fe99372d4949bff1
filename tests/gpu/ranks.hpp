#pragma once

#include <cuda_runtime.h>

#include <common/cuda.hpp>
#include <heddle/detail/gpu.hpp>

// What the tests of products of several ranks share. Ranks share the GPUs that there are, and one GPU is enough.

namespace ranks {

/// Makes the device of a rank the current one.
inline int use_gpu_of(int rank) {
  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  check(cudaSetDevice(rank % devices));
  return rank % devices;
}

static __global__ void next_turn(unsigned* turn) {
  ++*turn;
}

/// Keeps a stream busy for so long.
static __global__ void pass(long long nanoseconds) {
  const auto now = [] { return static_cast<long long>(heddle::detail::ptx::globaltimer()); };
  for (const long long begin = now(); now() - begin < nanoseconds;) {
  }
}

/// Whether kernels run concurrently here. Tools that check every access make all of it slow, and run kernels one by
/// one.
inline bool kernels_overlap() {
  static const bool beside = [] {
    const device_array<unsigned> turn(1);
    cudaStream_t one = nullptr, other = nullptr;
    for (cudaStream_t* stream : {&one, &other}) check(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    next_turn<<<1, 1, 0, other>>>(turn.data());  // loads it
    check(cudaStreamSynchronize(other));
    pass<<<1, 1, 0, one>>>(200'000'000);
    next_turn<<<1, 1, 0, other>>>(turn.data());
    check(cudaStreamSynchronize(other));
    const bool both = cudaStreamQuery(one) == cudaErrorNotReady;
    for (const cudaStream_t stream : {one, other}) {
      check(cudaStreamSynchronize(stream));
      check(cudaStreamDestroy(stream));
    }
    return both;
  }();
  return beside;
}

/// Returns the limit of waits that end.
inline long long patience() {
  return kernels_overlap() ? 5'000'000'000 : 120'000'000'000;
}

/// Loads kernels: later a rank may wait while the device loads.
template <class... Kernels>
void load_kernels(Kernels*... kernels) {
  cudaFuncAttributes attributes;
  (check(cudaFuncGetAttributes(&attributes, kernels)), ...);
}

}  // namespace ranks

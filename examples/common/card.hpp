#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <string>

// What every program says first: the GPU that it runs on, or why it leaves that out. All of it is in an unnamed
// namespace: each source asks for code of its own.

/// The exit code of a program that leaves out what needs a GPU: ctest counts it as skipped.
constexpr int skipped = 77;

/// The compute capability of an H100 and an H200, for which kernels with `wgmma` are compiled.
constexpr int hopper_only = 90;

namespace {

/// Compiled for the architectures of this source.
template <int = 0>
__global__ void probe_of_code() {}

/// A GPU, or why there is none: `why_not` is empty or says so.
struct gpu_found {
  std::string name, why_not;
  int multiprocessors = 0;
};

/// Returns the number of GPUs.
inline int count_gpus() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess) return devices;
  (void)cudaGetLastError();
  return 0;
}

/// Returns the current GPU, if this source has code for it, machine code or PTX. `capability` is the only one that
/// will do, or 0.
inline gpu_found find_gpu(int capability = 0) {
  int current = 0;
  cudaDeviceProp gpu;
  if (count_gpus() == 0 || cudaGetDevice(&current) != cudaSuccess ||
      cudaGetDeviceProperties(&gpu, current) != cudaSuccess) {
    (void)cudaGetLastError();
    return {"", "no CUDA device"};
  }
  const int own = 10 * gpu.major + gpu.minor;
  const auto text = [](int of) { return std::to_string(of / 10) + "." + std::to_string(of % 10); };
  if (capability != 0 && own != capability) {
    return {gpu.name, std::string(gpu.name) + " has compute capability " + text(own) + ", not " + text(capability)};
  }
  cudaFuncAttributes code;
  if (cudaFuncGetAttributes(&code, probe_of_code<>) != cudaSuccess) {
    (void)cudaGetLastError();
    return {gpu.name, std::string("there is no code for ") + gpu.name + ", compute capability " + text(own)};
  }
  return {gpu.name, "", gpu.multiProcessorCount};
}

/// Prints the GPU, once, or why the program skips what needs one. Returns whether it can run.
inline bool has_gpu(const char* program, int capability = 0) {
  static bool is_told = false;
  const gpu_found gpu = find_gpu(capability);
  if (!gpu.why_not.empty()) {
    std::printf("%s: %s: skipped\n", program, gpu.why_not.c_str());
  } else if (!is_told) {
    std::printf("%s: %s, %d multiprocessors\n", program, gpu.name.c_str(), gpu.multiprocessors);
    is_told = true;
  }
  return gpu.why_not.empty();
}

}  // namespace

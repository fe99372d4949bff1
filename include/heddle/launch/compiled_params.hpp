#pragma once

#include <heddle/launch/launch_box.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

// What the host must know before it launches: for which architecture the code was compiled that the driver loaded.
// It is not the device's, where a program was compiled for older ones; nor what cudaFuncAttributes::ptxVersion
// says, which is wrong in a program whose objects were compiled for different architectures and linked as device
// code. So the code is asked: a kernel that is never launched carries its architecture in its launch bounds.

namespace heddle::inline HEDDLE_ABI {

/// An architecture, or why it is not known.
struct [[nodiscard]] found_arch {
  arch target;
  cudaError_t error;
};

/// The parameters that the loaded code of a kernel uses, or why they are not known: then they are zeros, with which
/// no launch succeeds.
template <class Params>
struct [[nodiscard]] found_params {
  Params params;
  cudaError_t error;
  arch target;                      // what this translation unit was compiled for
  int box_threads, kernel_threads;  // of the box and of the kernel, where they do not agree
  int unit_binary, unit_ptx;        // the architecture of this translation unit's code, as the driver names it
  int kernel_binary, kernel_ptx;    // and of the kernel's

  /// The disagreement in words.
  detail::line<256> why() const {
    detail::line<256> text;
    if (kernel_threads == 0) return text << cudaGetErrorString(error);
    const char suffix[] = {target.suffix, '\0'};
    return text << "heddle: the launch was built for sm_" << target.capability << suffix << " (sm_" << unit_binary
                << " from compute_" << unit_ptx << "), for which the box says " << box_threads
                << " threads; the kernel was compiled for " << kernel_threads << ", as sm_" << kernel_binary
                << " from compute_" << kernel_ptx;
  }
};

namespace detail::of_this_unit {

// All of it belongs to its translation unit: two of them, compiled for different architectures, would otherwise
// share one copy, and with it one answer. It lies this deep because nvcc finds a user's unnamed namespace
// ambiguous with one that `using namespace heddle` would show.
namespace {

// In the pass of the host the bounds are read by nobody.
template <int>
__global__ void __launch_bounds__(detail::compiled_code == 0 ? 1 : detail::compiled_code) probe() {}

constexpr int cached_devices = 64;

/// A device's answer, once it has given it. Whoever comes at the same time asks too, and writes the same.
template <int Unused>
inline int codes[cached_devices] = {};

/// Kernels of a box that were found to agree with it, each with its device in the low bits.
template <class Box>
inline unsigned long long agreeing[64] = {};

template <int Unused = 0>
[[maybe_unused]] found_arch compiled_for(int device) {
  int* const cached = device < cached_devices ? &codes<Unused>[device] : nullptr;
  if (cached != nullptr) {
    if (const int code = __atomic_load_n(cached, __ATOMIC_RELAXED); code != 0)
      return {arch::of_code(code), cudaSuccess};
  }
  cudaFuncAttributes probed;
  const cudaError_t error = cudaFuncGetAttributes(&probed, probe<Unused>);
  if (error != cudaSuccess) return {arch{10}, error};
  if (cached != nullptr) __atomic_store_n(cached, probed.maxThreadsPerBlock, __ATOMIC_RELAXED);
  return {arch::of_code(probed.maxThreadsPerBlock), cudaSuccess};
}

/// What the code of this translation unit that is loaded on the current device was compiled for.
template <int Unused = 0>
[[maybe_unused]] found_arch compiled_arch() {
  int device = 0;
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) return {arch{10}, error};
  return compiled_for<Unused>(device);
}

/// The parameters with which `kernel`, which uses `here<Box>()`, was compiled: for the current device, from any
/// thread, also while a stream is captured. The kernel's own bound on its threads is the proof, and that the driver
/// names the same architectures for the kernel and for this translation unit: where another unit's code was loaded
/// under the kernel's name, its other parameters may differ. Two units for sm_90 and sm_90a have the same names: there
/// only the bounds tell.
template <launch_box Box, class... Params>
[[maybe_unused]] found_params<params_of<Box>> compiled_params(void (*kernel)(Params...)) {
  int device = 0;
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess)
    return {{}, error, arch{10}, 0, 0, 0, 0, 0, 0};
  const auto [target, error] = compiled_for(device);
  if (error != cudaSuccess) return {{}, error, target, 0, 0, 0, 0, 0, 0};
  const params_of<Box> params = Box{}(target);
  const found_params<params_of<Box>> agreed{params, cudaSuccess, target, 0, 0, 0, 0, 0, 0};

  const auto address = reinterpret_cast<unsigned long long>(kernel);
  const unsigned long long key = address << 6 | static_cast<unsigned>(device);
  unsigned long long* room = nullptr;  // where there is room to remember this
  for (unsigned long long at = address >> 4, last = at + 64; at < last && device < cached_devices; ++at) {
    unsigned long long* const cached = &agreeing<Box>[at % 64];
    const unsigned long long known = __atomic_load_n(cached, __ATOMIC_RELAXED);
    if (known == key) return agreed;
    if (known != 0) continue;
    room = cached;
    break;
  }

  cudaFuncAttributes of_kernel, of_unit;
  cudaError_t asked = cudaFuncGetAttributes(&of_kernel, kernel);
  if (asked == cudaSuccess) asked = cudaFuncGetAttributes(&of_unit, probe<0>);
  if (asked != cudaSuccess) return {{}, asked, target, 0, 0, 0, 0, 0, 0};
  if (of_kernel.maxThreadsPerBlock != params.threads || of_kernel.binaryVersion != of_unit.binaryVersion ||
      of_kernel.ptxVersion != of_unit.ptxVersion) {
    return {{},
            cudaErrorInvalidKernelImage,
            target,
            params.threads,
            of_kernel.maxThreadsPerBlock,
            of_unit.binaryVersion,
            of_unit.ptxVersion,
            of_kernel.binaryVersion,
            of_kernel.ptxVersion};
  }
  if (room != nullptr) __atomic_store_n(room, key, __ATOMIC_RELAXED);
  return agreed;
}

}  // namespace

}  // namespace detail::of_this_unit

using detail::of_this_unit::compiled_arch;
using detail::of_this_unit::compiled_params;

}  // namespace heddle::inline HEDDLE_ABI

#endif

#pragma once

#include <heddle/invalid_argument.hpp>
#include <heddle/launch/launch_box.hpp>
#include <heddle/result.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

// Before the host launches, it must know for which architecture the loaded code was compiled. The device does not tell:
// a program that was compiled for older architectures runs on it too. cudaFuncAttributes::ptxVersion does not either:
// it is wrong if objects for different architectures were linked as relocatable device code. The code itself tells: a
// kernel that is never launched carries its architecture in its launch bounds.

namespace heddle { inline namespace HEDDLE_ABI {

namespace detail::of_this_unit {

// Each translation unit has its own copy of all that follows: units compiled for different architectures would
// otherwise share one copy, and with it one answer. The namespace is this deep because nvcc finds a user's unnamed
// namespace ambiguous with one that `using namespace heddle` shows.
namespace {

// The host's pass needs bounds too, which are not used.
template <int>
__global__ void __launch_bounds__(detail::compiled_code == 0 ? 1 : detail::compiled_code) probe() {}

constexpr int cached_devices = 64;

/// Kernels that were found to agree with the box, as addresses with the device in the low bits.
template <class Box>
inline unsigned long long agreeing[64] = {};

/// What this translation unit knows of its own code. A member of a class template is compiled where it is called: only
/// a unit that asks has the probe.
template <class = void>
struct unit {
  /// Finds the number of this thread's current device. If the process sees a single device, that is every thread's, and
  /// only the first call asks the runtime. cudaGetDevice takes 30 ns.
  static result<int> device() {
    const int known = __atomic_load_n(&visible, __ATOMIC_RELAXED);
    if (known == 1) return {0};
    int current = 0, count = known;
    cudaError_t error = cudaGetDevice(&current);
    if (error == cudaSuccess && known == 0) error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) return {0, error};
    if (known == 0) __atomic_store_n(&visible, count, __ATOMIC_RELAXED);
    return {current};
  }

  static result<arch> compiled_for(int device) {
    int* const cached = device < cached_devices ? &codes[device] : nullptr;
    if (cached != nullptr) {
      if (const int code = __atomic_load_n(cached, __ATOMIC_RELAXED); code != 0) return {arch::of_code(code)};
    }
    cudaFuncAttributes probed;
    const cudaError_t error = cudaFuncGetAttributes(&probed, probe<0>);
    if (error != cudaSuccess) return {arch{10}, error};
    if (cached != nullptr) __atomic_store_n(cached, probed.maxThreadsPerBlock, __ATOMIC_RELAXED);
    return {arch::of_code(probed.maxThreadsPerBlock)};
  }

  /// Finds the architecture of the unit's code on the current device.
  result<arch> operator()() const {
    const auto [current, error] = device();
    if (error != cudaSuccess) return {arch{10}, error};
    return compiled_for(current);
  }

 private:
  static inline int codes[cached_devices] = {};  // per device the code found, or 0; threads write the same value
  static inline int visible = 0;  // devices that the process sees, or 0 before that is known; it does not change
};

[[maybe_unused]] constexpr unit<> compiled_arch;

/// Finds the parameters with which the loaded code of `kernel` was compiled, on the current device.
///
/// The kernel's own launch bound must be `threads` of the box, and the driver must name the same architectures for the
/// kernel and for this translation unit. Otherwise another unit's code was loaded under the kernel's name: the error is
/// cudaErrorInvalidKernelImage, the parameters are zeros, and a launch with them fails. Units for sm_90 and sm_90a have
/// the same names: between those only the launch bound decides.
///
/// **Preconditions**: `kernel` has `box_params<Box>().threads` in its __launch_bounds__. It may be called from any
/// thread, also while a stream is captured.
///
/// **Cost**: the first call per kernel and device asks the runtime; later calls take 12 ns (H200, bench/launch_box), or
/// 36 if the process sees several devices.
///
/// **Example** (examples/03_launch_box/reduce.cu):
///
///     const auto [tuned, error] = heddle::compiled_params<sum_box>(sum<sum_box>);
///     if (error != cudaSuccess) {
///     …
///     sum<sum_box><<<blocks, tuned.threads>>>(on_device.data(), count, total.data());
template <launch_box Box, class... Params>
[[maybe_unused]] result<params_of<Box>> compiled_params(void (*kernel)(Params...)) {
  const auto [device, not_found] = unit<>::device();
  if (not_found != cudaSuccess) return {{}, not_found};
  const auto [target, error] = unit<>::compiled_for(device);
  if (error != cudaSuccess) return {{}, error};
  const params_of<Box> params = Box{}(target);

  const auto address = reinterpret_cast<unsigned long long>(kernel);
  const unsigned long long key = address << 6 | static_cast<unsigned>(device);
  unsigned long long* room = nullptr;  // a free entry, if there is one
  for (unsigned long long at = address >> 4, last = at + 64; at < last && device < cached_devices; ++at) {
    unsigned long long* const cached = &agreeing<Box>[at % 64];
    const unsigned long long known = __atomic_load_n(cached, __ATOMIC_RELAXED);
    if (known == key) return {params};
    if (known != 0) continue;
    room = cached;
    break;
  }

  cudaFuncAttributes of_kernel, of_unit;
  cudaError_t asked = cudaFuncGetAttributes(&of_kernel, kernel);
  if (asked == cudaSuccess) asked = cudaFuncGetAttributes(&of_unit, probe<0>);
  if (asked != cudaSuccess) return {{}, asked};
  if (of_kernel.maxThreadsPerBlock != params.threads || of_kernel.binaryVersion != of_unit.binaryVersion ||
      of_kernel.ptxVersion != of_unit.ptxVersion) {
    return {{}, cudaErrorInvalidKernelImage};
  }
  if (room != nullptr) __atomic_store_n(room, key, __ATOMIC_RELAXED);
  return {params};
}

/// Returns in words why `compiled_params` has an error. If box and kernel disagree, the text has the architectures of
/// both and the threads of both.
///
/// **Cost**: asks the runtime. It is made for messages.
///
/// **Example** (examples/03_launch_box/reduce.cu):
///
///     std::fprintf(stderr, "%s\n", heddle::explain_params<sum_box>(sum<sum_box>).c_str());
template <launch_box Box, class... Params>
[[maybe_unused]] detail::line<256> explain_params(void (*kernel)(Params...)) {
  detail::line<256> text;
  const cudaError_t error = compiled_params<Box>(kernel).error;
  cudaFuncAttributes of_kernel, of_unit;
  if (error != cudaErrorInvalidKernelImage || cudaFuncGetAttributes(&of_kernel, kernel) != cudaSuccess ||
      cudaFuncGetAttributes(&of_unit, probe<0>) != cudaSuccess) {
    return text << cudaGetErrorString(error);
  }
  const arch target = arch::of_code(of_unit.maxThreadsPerBlock);
  const char suffix[] = {target.suffix, '\0'};
  return text << "heddle: the launch was built for sm_" << target.capability << suffix << " (sm_"
              << of_unit.binaryVersion << " from compute_" << of_unit.ptxVersion << "), for which the box says "
              << Box{}(target).threads << " threads; the kernel was compiled for " << of_kernel.maxThreadsPerBlock
              << ", as sm_" << of_kernel.binaryVersion << " from compute_" << of_kernel.ptxVersion;
}

}  // namespace

}  // namespace detail::of_this_unit

/// `compiled_arch()` finds the architecture that this translation unit's code, as loaded on the current device, was
/// compiled for.
///
/// **Cost**: the first call per device loads a kernel that is never launched; later calls read a cached value.
using detail::of_this_unit::compiled_arch;
/// Finds the parameters that a kernel was compiled with: those of the code that is loaded on the current device.
using detail::of_this_unit::compiled_params;
/// Returns in words why `compiled_params` has an error.
using detail::of_this_unit::explain_params;

}}  // namespace heddle::HEDDLE_ABI

#endif

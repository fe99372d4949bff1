#pragma once

#include <string>
#include <string_view>

#include <heddle/choose/detail/joined.hpp>
#include <heddle/result.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#endif

namespace heddle { inline namespace HEDDLE_ABI {

/// What a measured time depends on besides the program: the card, its driver, and the toolkit.
///
/// **Example** (examples/08_choose/threads.cu):
///
///     const auto [machine, error] = heddle::current_machine();
struct machine {
  std::string card;     // such as "NVIDIA H200, 132 multiprocessors"
  std::string driver;   // such as "13.0, 580.65.06"
  std::string toolkit;  // such as "13.0.48"
};

namespace detail {

/// Returns the version in the text of /proc/driver/nvidia/version: the first word of its first line that is numbers
/// with dots between. Returns an empty text if there is none.
inline std::string driver_version(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size() < text.size() ? word.size() + 1 : text.size());
    const bool is_version = word.find_first_not_of("0123456789.") == std::string_view::npos && !word.empty() &&
                            word.front() != '.' && word.back() != '.' && word.find('.') != std::string_view::npos;
    if (is_version) return std::string(word);
  }
  return "";
}

}  // namespace detail

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

/// Describes the current device, the driver, and the toolkit that compiles this code.
///
/// **Effects**: reads /proc/driver/nvidia/version, if there is one, for the version that CUDA does not tell.
///
/// **Cost**: a millisecond at the first call for a device, a microsecond at later ones, which any thread may make.
inline result<machine> current_machine() {
  static std::mutex one_thread;
  static std::map<int, heddle::machine> known;
  int device = 0, multiprocessors = 0, driver = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return {{}, error};
  const std::lock_guard<std::mutex> lock(one_thread);
  if (const auto at = known.find(device); at != known.end()) return {at->second};
  cudaDeviceProp properties;
  error = cudaGetDeviceProperties(&properties, device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  }
  if (error == cudaSuccess) error = cudaDriverGetVersion(&driver);
  if (error != cudaSuccess) return {{}, error};
  const auto dotted = [](int version) {
    return detail::joined(std::to_string(version / 1000), ".", std::to_string(version % 1000 / 10));
  };
  std::ifstream module("/proc/driver/nvidia/version");
  const std::string of_module = detail::driver_version(std::string(std::istreambuf_iterator<char>(module), {}));
  heddle::machine found{detail::joined(properties.name, ", ", std::to_string(multiprocessors), " multiprocessors"),
                        detail::joined(dotted(driver), of_module.empty() ? "" : ", ", of_module),
                        dotted(CUDART_VERSION)};
#if defined(__CUDACC_VER_BUILD__)
  found.toolkit.append(".").append(std::to_string(__CUDACC_VER_BUILD__));
#endif
  known[device] = found;
  return {found};
}

#endif

}}  // namespace heddle::HEDDLE_ABI

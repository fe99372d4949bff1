#pragma once

#include <heddle/config.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

namespace heddle { inline namespace HEDDLE_ABI {

/// Holds what a function of the host found, or the error of the CUDA runtime that prevented it.
///
/// **Example** (tests/gpu/device.cu):
///
///     const auto [card, error] = current_device();
///     check(error);
template <class Value>
struct [[nodiscard]] result {
  Value value;                      // of no use after an error
  cudaError_t error = cudaSuccess;  // of the runtime

  /// Returns whether there is a value.
  constexpr explicit operator bool() const { return error == cudaSuccess; }
};

}}  // namespace heddle::HEDDLE_ABI

#endif

#pragma once

#include <heddle/device/detail/known_card.hpp>
#include <heddle/result.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

namespace heddle { inline namespace HEDDLE_ABI {

/// Describes the card with this number, by what the runtime says of it.
///
/// A card whose name and multiprocessors are those of a constant, such as `predict::h200()`, has that constant's rates.
/// For any other card, DRAM, L1 and instructions are derived from clocks and widths, and what cannot be derived is 0,
/// which stands for unknown: `calibrate` measures it.
///
/// **Cost**: reads all properties of the card, some 10 µs to a millisecond. It touches no stream and allocates nothing.
inline result<predict::device> device_of(int ordinal) {
  cudaDeviceProp properties;
  cudaError_t error = cudaGetDeviceProperties(&properties, ordinal);
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&value, which, ordinal);
    return value;
  };
  const int tens = attribute(cudaDevAttrComputeCapabilityMajor), ones = attribute(cudaDevAttrComputeCapabilityMinor);
  const double clock = attribute(cudaDevAttrClockRate), memory_clock = attribute(cudaDevAttrMemoryClockRate);  // in kHz
  if (error != cudaSuccess) return {{}, error};
  properties.name[predict::device_name::most] = '\0';  // what is longer is cut off
  return {detail::card_of({.name = properties.name,
                           .multiprocessors = properties.multiProcessorCount,
                           .capability = 10 * tens + ones,
                           .l2_bytes = properties.l2CacheSize,
                           .most_shared_bytes = static_cast<long long>(properties.sharedMemPerMultiprocessor),
                           .clock = 1e3 * clock,
                           .memory_clock = 1e3 * memory_clock,
                           .memory_bus_bits = properties.memoryBusWidth})};
}

/// Describes the current device, as `device_of` does.
///
/// **Example** (tests/gpu/device.cu):
///
///     const auto [card, error] = current_device();
///     check(error);
///     const predict::advice best = predict::advise(product, card);
inline result<predict::device> current_device() {
  int ordinal = 0;
  const cudaError_t error = cudaGetDevice(&ordinal);
  if (error != cudaSuccess) return {{}, error};
  return device_of(ordinal);
}

}}  // namespace heddle::HEDDLE_ABI

#endif

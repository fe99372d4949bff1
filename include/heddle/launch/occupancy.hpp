#pragma once

#include <heddle/detail/line.hpp>
#include <heddle/launch/arch.hpp>
#include <heddle/launch/detail/opt_in.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include <cuda_occupancy.h>

namespace heddle::inline HEDDLE_ABI {

/// How many blocks of a kernel a multiprocessor of this device holds, and which of its five limits it is that
/// allows no more.
struct [[nodiscard]] occupancy {
  enum class limit { threads, blocks, shared_memory, registers, registers_of_a_thread };

  int blocks_per_sm, sms, threads;
  limit limited_by;
  int most_by_threads, most_by_blocks, most_by_shared_memory, most_by_registers;  // blocks, by each limit alone
  int registers, spilled;  // of a thread; spilled are bytes of local memory, which indexed arrays take too
  cudaError_t error;

  /// How often the device is filled by so many blocks: the part after the point is the last wave.
  double waves(long long blocks) const { return static_cast<double>(blocks) / (1.0 * blocks_per_sm * sms); }

  detail::line<320> text() const {
    detail::line<320> words;
    if (error != cudaSuccess) return words << cudaGetErrorString(error);
    const char* const name[] = {"threads", "blocks", "shared memory", "registers", "registers of a thread"};
    words << blocks_per_sm << " blocks of " << threads << " threads on each of " << sms
          << " multiprocessors, limited by " << name[static_cast<int>(limited_by)] << " (threads " << most_by_threads
          << ", blocks " << most_by_blocks << ", shared memory ";
    most_by_shared_memory == 0x7fffffff ? words << "any" : words << most_by_shared_memory;
    return words << ", registers " << most_by_registers << "); " << registers << " registers, " << spilled
                 << " bytes spilled";
  }
};

/// For a block of so many threads and so much dynamic shared memory on the current device. It reads all
/// properties of the device: for a report, not for every launch.
template <class... Params>
occupancy occupancy_of(void (*kernel)(Params...), int threads, decltype(sizeof 0) dynamic_smem = 0) {
  occupancy result{};
  result.threads = threads;
  int device = 0;
  cudaDeviceProp properties;
  cudaFuncAttributes attributes;
  result.error = cudaGetDevice(&device);
  if (result.error == cudaSuccess) result.error = cudaGetDeviceProperties(&properties, device);
  if (result.error == cudaSuccess) result.error = detail::opt_in(reinterpret_cast<const void*>(kernel), dynamic_smem);
  if (result.error == cudaSuccess) result.error = cudaFuncGetAttributes(&attributes, kernel);
  if (result.error == cudaSuccess) {
    result.error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&result.blocks_per_sm, kernel, threads, dynamic_smem);
  }
  if (result.error != cudaSuccess) return result;
  result.sms = properties.multiProcessorCount;
  result.registers = attributes.numRegs;
  result.spilled = static_cast<int>(attributes.localSizeBytes);

  const cudaOccDeviceProp of_device(properties);
  const cudaOccFuncAttributes of_kernel(attributes);
  const cudaOccDeviceState state;
  cudaOccResult limits;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&limits, &of_device, &of_kernel, &state, threads, dynamic_smem) !=
      CUDA_OCC_SUCCESS) {
    result.error = cudaErrorInvalidConfiguration;
    return result;
  }
  result.most_by_threads = limits.blockLimitWarps;
  result.most_by_blocks = limits.blockLimitBlocks;
  result.most_by_shared_memory = limits.blockLimitSharedMem;
  result.most_by_registers = limits.blockLimitRegs;
  const int least = limits.activeBlocksPerMultiprocessor;
  result.limited_by =
      result.most_by_registers == least
          ? attributes.numRegs == 255 ? occupancy::limit::registers_of_a_thread : occupancy::limit::registers
      : result.most_by_shared_memory == least ? occupancy::limit::shared_memory
      : result.most_by_threads == least       ? occupancy::limit::threads
                                              : occupancy::limit::blocks;
  return result;
}

}  // namespace heddle::inline HEDDLE_ABI

#endif

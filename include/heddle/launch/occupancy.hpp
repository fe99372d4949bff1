#pragma once

#include <heddle/detail/line.hpp>
#include <heddle/launch/arch.hpp>
#include <heddle/launch/detail/opt_in.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include <cuda_occupancy.h>

namespace heddle::inline HEDDLE_ABI {

/// Reports how many blocks of a kernel are resident per multiprocessor, and which of five limits allows no more.
///
/// **Example** (examples/03_launch_box/reduce.cu):
///
///     const heddle::occupancy fits = heddle::occupancy_of(sum<sum_box>, found.params.threads);
///     check(fits.error);
struct [[nodiscard]] occupancy {
  /// Names what limits the resident blocks.
  enum class limit {
    threads,               // resident threads per multiprocessor
    blocks,                // resident blocks per multiprocessor
    shared_memory,         // shared memory per multiprocessor
    registers,             // registers per multiprocessor
    registers_of_a_thread  // the kernel uses all 255 that a thread may have
  };

  int blocks_per_sm, sms, threads;  // resident blocks per multiprocessor; multiprocessors; threads per block
  limit limited_by;                 // the limit that allows no more blocks
  int most_by_threads, most_by_blocks, most_by_shared_memory, most_by_registers;  // blocks, by each limit alone
  int registers, spilled;  // per thread; `spilled` is bytes of local memory, which indexed arrays take too
  cudaError_t error;       // of the runtime

  /// Returns how many waves this many blocks are; the fraction is the tail wave.
  double waves(long long blocks) const { return static_cast<double>(blocks) / (1.0 * blocks_per_sm * sms); }

  /// Returns all of it as a line of text, or the error.
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

/// Finds the occupancy of a kernel on the current device, for this many threads and bytes of dynamic shared memory per
/// block.
///
/// **Effects**: allows the kernel this much dynamic shared memory.
///
/// **Cost**: reads all properties of the device. It is made for reports, not for every launch.
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

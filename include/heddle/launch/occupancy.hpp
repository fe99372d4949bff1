#pragma once

#include <heddle/invalid_argument.hpp>
#include <heddle/launch/arch.hpp>
#include <heddle/launch/detail/opt_in.hpp>
#include <heddle/result.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include <cuda_occupancy.h>

namespace heddle { inline namespace HEDDLE_ABI {

/// Reports how many blocks of a kernel are resident per multiprocessor, and which of five limits allows no more.
///
/// **Example** (examples/03_launch_box/reduce.cu):
///
///     const auto [fits, not_known] = heddle::occupancy_of(sum<sum_box>, tuned.threads);
///     check(not_known);
struct occupancy {
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

  /// Returns how many waves this many blocks are; the fraction is the tail wave.
  double waves(long long blocks) const { return static_cast<double>(blocks) / (1.0 * blocks_per_sm * sms); }

  /// Returns all of it as a line of text.
  detail::line<320> text() const {
    detail::line<320> words;
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
result<occupancy> occupancy_of(void (*kernel)(Params...), int threads, decltype(sizeof 0) dynamic_smem = 0) {
  occupancy found{};
  found.threads = threads;
  int device = 0;
  cudaDeviceProp properties;
  cudaFuncAttributes attributes;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, device);
  if (error == cudaSuccess) error = detail::opt_in(reinterpret_cast<const void*>(kernel), dynamic_smem);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, kernel);
  if (error == cudaSuccess) {
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found.blocks_per_sm, kernel, threads, dynamic_smem);
  }
  if (error != cudaSuccess) return {found, error};
  found.sms = properties.multiProcessorCount;
  found.registers = attributes.numRegs;
  found.spilled = static_cast<int>(attributes.localSizeBytes);

  const cudaOccDeviceProp of_device(properties);
  const cudaOccFuncAttributes of_kernel(attributes);
  const cudaOccDeviceState state;
  cudaOccResult limits;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&limits, &of_device, &of_kernel, &state, threads, dynamic_smem) !=
      CUDA_OCC_SUCCESS) {
    return {found, cudaErrorInvalidConfiguration};
  }
  found.most_by_threads = limits.blockLimitWarps;
  found.most_by_blocks = limits.blockLimitBlocks;
  found.most_by_shared_memory = limits.blockLimitSharedMem;
  found.most_by_registers = limits.blockLimitRegs;
  const int least = limits.activeBlocksPerMultiprocessor;
  found.limited_by =
      found.most_by_registers == least
          ? attributes.numRegs == 255 ? occupancy::limit::registers_of_a_thread : occupancy::limit::registers
      : found.most_by_shared_memory == least ? occupancy::limit::shared_memory
      : found.most_by_threads == least       ? occupancy::limit::threads
                                             : occupancy::limit::blocks;
  return {found};
}

}}  // namespace heddle::HEDDLE_ABI

#endif

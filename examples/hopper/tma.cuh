#pragma once

#include <cuda.h>

#include <cstdint>

#include "hopper/ptx.cuh"

// The tensor memory accelerator copies boxes of a matrix, or of a stack of matrices. It reads elements outside the
// matrix as zero, and does not write them.

namespace hopper::ptx {

__device__ inline void prefetch_tensormap(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(reinterpret_cast<std::uint64_t>(&map)) : "memory");
}

/// Loads the box at (x, y).
__device__ inline void cp_async_bulk_tensor_load(void* box, const CUtensorMap& map, int x, int y,
                                                 std::uint64_t& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(box)),
      "l"(reinterpret_cast<std::uint64_t>(&map)), "r"(x), "r"(y), "r"(shared_address(&barrier))
      : "memory");
}

/// Loads the box at (x, y) of one matrix of a stack.
__device__ inline void cp_async_bulk_tensor_load(void* box, const CUtensorMap& map, int x, int y, int matrix,
                                                 std::uint64_t& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(box)),
      "l"(reinterpret_cast<std::uint64_t>(&map)), "r"(x), "r"(y), "r"(matrix), "r"(shared_address(&barrier))
      : "memory");
}

/// Loads to the same address in each block of the cluster with its bit in `blocks`, and completes on its barrier there.
__device__ inline void cp_async_bulk_tensor_multicast(void* box, const CUtensorMap& map, int x, int y,
                                                      std::uint64_t& barrier, unsigned blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(box)),
      "l"(reinterpret_cast<std::uint64_t>(&map)), "r"(x), "r"(y), "r"(shared_address(&barrier)),
      "h"(static_cast<std::uint16_t>(blocks))
      : "memory");
}

__device__ inline void cp_async_bulk_tensor_store(const CUtensorMap& map, int x, int y, const void* box) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
                   reinterpret_cast<std::uint64_t>(&map)),
               "r"(x), "r"(y), "r"(shared_address(box))
               : "memory");
}

/// Stores the box at (x, y) of one matrix of a stack.
__device__ inline void cp_async_bulk_tensor_store(const CUtensorMap& map, int x, int y, int matrix, const void* box) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(
                   reinterpret_cast<std::uint64_t>(&map)),
               "r"(x), "r"(y), "r"(matrix), "r"(shared_address(box))
               : "memory");
}

__device__ inline void cp_async_bulk_commit_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Waits until the stores of all but the last `Groups` groups have read shared memory.
template <int Groups>
__device__ void cp_async_bulk_wait_group_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Groups) : "memory");
}

/// Orders this thread's stores to shared memory before the accelerator's later reads.
__device__ inline void fence_proxy_async() {
  cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
}

}  // namespace hopper::ptx

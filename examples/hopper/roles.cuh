#pragma once

#include "hopper/ptx.cuh"

// The roles of a block: warpgroups of 128 threads that multiply, and one behind them that has copies made. Roles differ
// in registers, and meet at barriers.

namespace hopper {

/// Returns the shared memory of a launch as one struct. Swizzles need its alignment.
template <class Memory>
__device__ Memory& shared_memory() {
  extern __shared__ __align__(1024) unsigned char hopper_memory[];
  static_assert(sizeof(Memory) <= 227 * 1024);
  return *reinterpret_cast<Memory*>(hopper_memory);
}

/// Returns the number of the thread's warpgroup, known to be uniform in a warp.
__device__ inline int warpgroup() {
  return __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0);
}

/// Returns the number of the thread in its warpgroup.
__device__ inline int thread_of_warpgroup() {
  return static_cast<int>(threadIdx.x) % 128;
}

/// Returns whether threads of `consumers` warpgroups, and those of one more, can have so many registers. They share what
/// the launch gave them, and `setmaxnreg` waits for ever for more.
__host__ __device__ constexpr bool can_have_registers(int consumers, int of_consumer, int of_producer) {
  const int at_launch = 65536 / (128 * (consumers + 1)) / 8 * 8;
  return consumers * of_consumer + of_producer <= (consumers + 1) * at_launch;
}

/// The barriers with a number that the roles of a block share, by what waits there. Number 0 is that of __syncthreads.
enum barrier_of : int {
  of_tile = 1,       // warpgroups that make a tile together: three such barriers
  of_warpgroup = 4,  // the threads of one warpgroup: three such barriers
};

/// Waits at the i-th of these barriers for so many threads.
__device__ inline void sync(barrier_of some, int i, int threads) {
  ptx::bar_sync(some + i, threads);
}

/// Waits for all threads of the block, or of the cluster: after the barriers in shared memory are made, and before a
/// block ends to whose shared memory another may still write.
template <bool InCluster>
__device__ void sync_all() {
  if constexpr (InCluster) {
    ptx::barrier_cluster();
  } else {
    __syncthreads();
  }
}

}  // namespace hopper

#pragma once

#include <cuda/ptx>

#include <cstdint>

// Hopper's instructions (sm_90a), one function each: barriers and registers. tma.cuh has copies of boxes, and wgmma.cuh
// the matrix unit. The text of an instruction stands here only if CUDA's <cuda/ptx> has no function for it, or one that
// orders more or returns what a kernel drops.

namespace hopper::ptx {

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Barriers in shared memory.

__device__ inline void mbarrier_init(std::uint64_t& barrier, int arrivals) {
  cuda::ptx::mbarrier_init(&barrier, static_cast<std::uint32_t>(arrivals));
}

/// Makes the barriers that this thread initialised visible to the cluster after its next cluster barrier.
__device__ inline void fence_mbarrier_init() {
  cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
}

/// Arrives, and expects so many bytes more of copies.
__device__ inline void mbarrier_arrive_expect_tx(std::uint64_t& barrier, unsigned bytes) {
  cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared, &barrier,
                                       bytes);
}

__device__ inline void mbarrier_arrive(std::uint64_t& barrier) {
  cuda::ptx::mbarrier_arrive(&barrier);
}

/// Arrives in the block of the cluster with this rank. It releases to the thread's own block only, which is enough
/// after reads: a release to the cluster would wait for all of memory.
__device__ inline void mbarrier_arrive_cluster(std::uint64_t& barrier, unsigned rank) {
  asm volatile(
      "{\n\t.reg .b32 remote;\n\t"
      "mapa.shared::cluster.u32 remote, %0, %1;\n\t"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n\t}" ::"r"(shared_address(&barrier)),
      "r"(rank)
      : "memory");
}

/// Waits until the phase of this parity is over.
__device__ inline void mbarrier_wait(std::uint64_t& barrier, unsigned parity) {
  asm volatile(
      "{\n\t.reg .pred complete;\n\t"
      "again:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 complete, [%0], %1;\n\t"
      "@!complete bra again;\n\t}" ::"r"(shared_address(&barrier)),
      "r"(parity)
      : "memory");
}

// Barriers of a few warps, and of the cluster.

__device__ inline void bar_sync(int number, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

/// Waits for every thread of the cluster. Threads of a warp may arrive one by one.
__device__ inline void barrier_cluster() {
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
}

__device__ inline unsigned cluster_ctarank() {
  return cuda::ptx::get_sreg_cluster_ctarank();
}

__device__ inline unsigned cluster_nctarank() {
  return cuda::ptx::get_sreg_cluster_nctarank();
}

/// Loads shared memory from the same address in the block of the cluster with this rank.
__device__ inline float4 ld_shared_cluster(unsigned address, int rank) {
  float4 value;
  asm volatile(
      "{\n\t.reg .b32 remote;\n\t"
      "mapa.shared::cluster.u32 remote, %4, %5;\n\t"
      "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [remote];\n\t}"
      : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
      : "r"(address), "r"(rank)
      : "memory");
  return value;
}

// Arithmetic and registers.

/// Returns 2 to the power x, or zero below 2^-126.
__device__ inline float ex2(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

/// Opaque to the compiler: it moves nothing that reads or writes this register across.
__device__ inline void opaque(float& word) {
  asm volatile("" : "+f"(word)::"memory");
}
__device__ inline void opaque(unsigned& word) {
  asm volatile("" : "+r"(word)::"memory");
}

/// Raises the registers of each thread of a warpgroup by some that another has given up. All four warps must call it.
template <int Registers>
__device__ void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}

/// Gives up registers of each thread of a warpgroup. All four warps must call it.
template <int Registers>
__device__ void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}

/// Stores four 8 x 8 matrices of 2-byte elements, each from one register of every thread. `address` is that of one row,
/// another one in every thread.
__device__ inline void stmatrix_x4(unsigned address, const unsigned (&matrix)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(matrix[0]),
               "r"(matrix[1]), "r"(matrix[2]), "r"(matrix[3])
               : "memory");
}

/// Stores two such matrices. Threads 0 to 15 give the addresses.
__device__ inline void stmatrix_x2(unsigned address, unsigned first, unsigned second) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(first), "r"(second)
               : "memory");
}

/// Stores four such matrices, each transposed.
__device__ inline void stmatrix_x4_transposed(unsigned address, const unsigned (&matrix)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(matrix[0]),
               "r"(matrix[1]), "r"(matrix[2]), "r"(matrix[3])
               : "memory");
}

}  // namespace hopper::ptx

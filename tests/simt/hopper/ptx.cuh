#pragma once

// The instructions of examples/hopper/ptx.cuh as tests/simt.hpp runs them.

#include <cuda_bf16.h>

#include <cmath>

#include <heddle/schedule/detail/ptx.hpp>

#define __launch_bounds__(...)
#define __forceinline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))
#undef __shared__
#define __shared__ __thread  // as thread_local, but declared without a constructor

template <class Number>
Number min(Number one, Number other) {
  return one < other ? one : other;
}
template <class Number>
Number max(Number one, Number other) {
  return one < other ? other : one;
}
inline float __fdividef(float one, float other) {
  return one / other;
}
inline void __stcg(float4* to, float4 value) {
  if (simt::random() % 8 == 0) simt::wait();
  *to = value;
}
template <class Value>
Value __ldcg(const Value* from) {
  return *from;
}
inline void __threadfence_system() {}

namespace hopper {

alignas(1024) inline __thread unsigned char hopper_memory[227 * 1024];  // each block has a thread of the host

namespace ptx {

namespace heddles = heddle::detail::ptx;
using heddles::barrier_cluster, heddles::cluster_ctarank, heddles::cluster_nctarank, heddles::fence_mbarrier_init;

inline unsigned shared_address(const void* pointer) {
  const auto distance = static_cast<const unsigned char*>(pointer) - hopper_memory;
  if (distance < 0 || distance >= 227 * 1024) throw std::logic_error("an address outside of shared memory");
  return static_cast<unsigned>(distance);
}

/// Returns the same memory of another block of the cluster.
template <class Type>
Type& in_block(Type& memory, unsigned rank) {
  return heddles::at_address<Type>(heddles::mapa(heddles::shared_address(&memory), rank));
}

/// Returns where the accelerator and the matrix unit find a byte of rows whose pieces are permuted.
inline unsigned swizzled(unsigned address, unsigned pieces) {
  return address ^ (address >> 7 & (pieces - 1)) << 4;
}

/// Copies of all blocks that are on their way.
inline std::vector<std::function<void()>> flying;

/// Makes some of them, in any order.
inline void fly() {
  if (flying.empty() || simt::random() % 2 == 0) return;
  std::swap(flying[simt::random() % flying.size()], flying.back());
  const std::function<void()> one = std::move(flying.back());
  flying.pop_back();
  one();
}

inline void mbarrier_init(std::uint64_t& barrier, int arrivals) {
  heddles::mbarrier_init(heddles::shared_address(&barrier), static_cast<unsigned>(arrivals));
}
inline void mbarrier_arrive(std::uint64_t& barrier) {
  heddles::mbarrier_arrive(heddles::shared_address(&barrier));
}
inline void mbarrier_arrive_cluster(std::uint64_t& barrier, unsigned rank) {
  heddles::mbarrier_arrive(heddles::mapa(heddles::shared_address(&barrier), rank));
}
inline void mbarrier_arrive_expect_tx(std::uint64_t& barrier, unsigned bytes) {
  heddles::mbarrier_arrive_expect_tx(heddles::shared_address(&barrier), bytes);
}
inline void mbarrier_wait(std::uint64_t& barrier, unsigned parity) {
  const auto& its = heddles::barrier_at(heddles::shared_address(&barrier));
  simt::wait_until([&] {
    fly();
    return its.phase != (parity & 1);
  });
}

inline void bar_sync(int number, int threads) {
  simt::bar_sync(static_cast<unsigned>(number), static_cast<unsigned>(threads));
}
inline float4 ld_shared_cluster(unsigned address, int rank) {
  return reinterpret_cast<float4&>(in_block(hopper_memory[address], static_cast<unsigned>(rank)));
}

inline float ex2(float x) {
  return std::exp2(x);
}
template <class Word>
void opaque(Word&) {}

template <int Registers>
void setmaxnreg_inc() {}
template <int Registers>
void setmaxnreg_dec() {}

/// Stores 8 x 8 matrices. Lane l has the address of row l % 8 of matrix l / 8; before, lane 4 r + c had columns 2 c and
/// 2 c + 1 of its row r.
template <bool Transposed, int Count>
void stmatrix(unsigned address, const unsigned (&matrix)[Count]) {
  const unsigned lane = simt::self->lane, row = lane % 8;
  for (unsigned i = 0; i < Count; ++i) {
    const auto& all = simt::meet("stmatrix", ~0u, matrix[i]);
    if (lane / 8 != i) continue;
    for (unsigned col = 0; col < 8; ++col) {
      const unsigned from_row = Transposed ? col : row, from_col = Transposed ? row : col;
      reinterpret_cast<std::uint16_t*>(hopper_memory + address)[col] =
          static_cast<std::uint16_t>(all.of(from_row * 4 + from_col / 2) >> from_col % 2 * 16);
    }
  }
}
inline void stmatrix_x4(unsigned address, const unsigned (&matrix)[4]) {
  stmatrix<false>(address, matrix);
}
inline void stmatrix_x2(unsigned address, unsigned first, unsigned second) {
  stmatrix<false>(address, {first, second});
}
inline void stmatrix_x4_transposed(unsigned address, const unsigned (&matrix)[4]) {
  stmatrix<true>(address, matrix);
}

}  // namespace ptx

}  // namespace hopper

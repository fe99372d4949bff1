#pragma once

// What FlashAttention-3's headers declare and heddle's guest asks for, in their names: a stand-in for tests without
// them, in kernels and under the simulator.

#include <cstdint>

#include <heddle/config.hpp>

#define CUTLASS_DEVICE HEDDLE_DEVICE

#if defined(__CUDACC_RTC__)
using dim3 = simt::three;
struct alignas(16) int4 {
  int x, y, z, w;
};
inline int4 make_int4(int x, int y, int z, int w) {
  return {x, y, z, w};
}
#endif

namespace cute {

template <class... Values>
struct tuple {};
template <class First, class... Values>
struct tuple<First, Values...> {
  First first;
  tuple<Values...> rest;

  HEDDLE_FN tuple(First one, Values... others) : first(one), rest(others...) {}
};

template <int I, class First, class... Values>
HEDDLE_FN auto get(const tuple<First, Values...>& values) {
  if constexpr (I == 0) {
    return values.first;
  } else {
    return get<I - 1>(values.rest);
  }
}

template <int Size>
struct cluster_of {};
template <int Size>
HEDDLE_FN int size(cluster_of<Size>) {
  return Size;
}

}  // namespace cute

namespace cutlass::arch {

enum class ReservedNamedBarriers { StreamkBarrier0 = 6, StreamkBarrier1 = 7 };

}  // namespace cutlass::arch

namespace flash {

struct TileSchedulerArguments {
  const int num_blocks, num_head, num_batch, num_splits;
  const int qhead_per_khead;
  const int seqlen;
  const int seqlen_k, headdim, headdim_v, element_size;
  int* const tile_count_semaphore = nullptr;
  const int* const cu_seqlens = nullptr;
  const int* const seqused = nullptr;
};

HEDDLE_DEVICE inline void named_barrier_sync(unsigned threads, cutlass::arch::ReservedNamedBarriers barrier) {
#if defined(__CUDACC_RTC__)
  simt::bar_sync(static_cast<unsigned>(barrier), threads);
#else
  asm volatile("bar.sync %0, %1;" ::"r"(static_cast<unsigned>(barrier)), "r"(threads) : "memory");
#endif
}
HEDDLE_DEVICE inline void named_barrier_arrive(unsigned threads, cutlass::arch::ReservedNamedBarriers barrier) {
#if defined(__CUDACC_RTC__)
  simt::bar_arrive(static_cast<unsigned>(barrier), threads);
#else
  asm volatile("bar.arrive %0, %1;" ::"r"(static_cast<unsigned>(barrier)), "r"(threads) : "memory");
#endif
}

}  // namespace flash

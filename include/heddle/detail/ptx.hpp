#pragma once

#include <heddle/config.hpp>

#if defined(__CUDACC__)

// One function per instruction, under the instruction's name. On an architecture without the instruction the function
// does what is equivalent for a block alone, or nothing: no scheduler's `grid` returns a launch that needs more there.
// Instructions of one part are in that part's own detail/ptx.hpp, and in this namespace.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::ptx {

inline constexpr bool has_clusters = compiled_code >= 4 * 90;

HEDDLE_DEVICE inline unsigned smid() {
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

HEDDLE_DEVICE inline unsigned laneid() {
  unsigned number;
  asm("mov.u32 %0, %%laneid;" : "=r"(number));
  return number;
}

/// Returns the mask of the lanes below this one.
HEDDLE_DEVICE inline unsigned lanemask_lt() {
  unsigned number;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(number));
  return number;
}

HEDDLE_DEVICE inline unsigned long long gridid() {
  unsigned long long number;
  asm volatile("mov.u64 %0, %%gridid;" : "=l"(number));
  return number;
}

/// Returns the nanoseconds of the timer that all multiprocessors share. It advances in steps.
HEDDLE_DEVICE inline unsigned long long globaltimer() {
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
  return time;
}

/// Returns the same value, opaque to the optimiser: the compiler keeps it in a register and does not compute it again.
template <class Word>
HEDDLE_DEVICE Word kept(Word value) {
  Word number = value;
  if constexpr (sizeof(Word) == 8) {
    asm("// kept %0" : "+l"(number));
  } else {
    asm("// kept %0" : "+r"(number));
  }
  return number;
}

/// Does as `kept` for the address of an object in shared memory.
template <class Type>
HEDDLE_DEVICE Type* kept_shared(Type& shared) {
  return static_cast<Type*>(__cvta_shared_to_generic(kept(__cvta_generic_to_shared(&shared))));
}

// Clusters. Below sm_90 a block is its own cluster.

HEDDLE_DEVICE inline unsigned clusterid() {
  unsigned number = blockIdx.x;
  if constexpr (has_clusters) asm("mov.u32 %0, %%clusterid.x;" : "=r"(number));
  return number;
}

HEDDLE_DEVICE inline unsigned nclusterid() {
  unsigned number = gridDim.x;
  if constexpr (has_clusters) asm("mov.u32 %0, %%nclusterid.x;" : "=r"(number));
  return number;
}

HEDDLE_DEVICE inline unsigned cluster_ctarank() {
  unsigned number = 0;
  if constexpr (has_clusters) asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(number));
  return number;
}

HEDDLE_DEVICE inline unsigned cluster_nctarank() {
  unsigned number = 1;
  if constexpr (has_clusters) asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(number));
  return number;
}

HEDDLE_DEVICE inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

}}}  // namespace heddle::HEDDLE_ABI::detail::ptx

#endif

#pragma once

#include <heddle/detail/ptx.hpp>

#if defined(__CUDACC__)

// Instructions that work expansion alone uses.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Is instantiated once, at the use of the part: a header compiles for any architecture, and a kernel for one that is
/// too old gives one error, which names the part and the architecture.
template <int Code>
struct expansion_needs {
  static constexpr bool is_met = Code == 0 || Code >= sm_80;
  static_assert(is_met, "heddle: work expansion (expand/) needs sm_80 or newer: compile with -arch=sm_80");
};

}}}  // namespace heddle::HEDDLE_ABI::detail

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::ptx {

/// Loads from global memory through L1, which may not yet have what other multiprocessors have written.
HEDDLE_DEVICE inline unsigned ld_ca(const unsigned* from) {
  unsigned number = 0;
#if defined(__CUDA_ARCH__)
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(number) : "l"(from));
#else
  number = *from;
#endif
  return number;
}

/// Loads a pair of words from L2, which has what other multiprocessors wrote before the last barrier.
template <class Pair>
HEDDLE_DEVICE Pair ld_cg(const Pair* from) {
  static_assert(sizeof(Pair) == 8 && alignof(Pair) == 8);
#if defined(__CUDA_ARCH__)
  unsigned first, second;
  asm volatile("ld.global.cg.v2.u32 {%0, %1}, [%2];" : "=r"(first), "=r"(second) : "l"(from));
  return {first, second};
#else
  return *from;
#endif
}

/// Loads a word that another block may write, and acquires what was written before it.
HEDDLE_DEVICE inline unsigned ld_acquire(const unsigned* from) {
#if defined(__CUDA_ARCH__)
  unsigned number;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(number) : "l"(from) : "memory");
  return number;
#else
  return *from;
#endif
}

/// Adds to a word that other blocks read, and releases what was written before it.
HEDDLE_DEVICE inline void red_release_add(unsigned* to, unsigned number) {
#if defined(__CUDA_ARCH__)
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(to), "r"(number) : "memory");
#else
  *to += number;
#endif
}

/// The same, and returns what the word was.
HEDDLE_DEVICE inline unsigned atom_release_add(unsigned* to, unsigned number) {
  unsigned before = 0;
#if defined(__CUDA_ARCH__)
  asm volatile("atom.release.gpu.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(to), "r"(number) : "memory");
#else
  before = *to, *to += number;
#endif
  return before;
}

/// Returns whether this launch is cooperative: the driver then gives it memory, whose address is in two registers.
HEDDLE_DEVICE inline bool is_cooperative() {
  unsigned low = 0, high = 0;
#if defined(__CUDA_ARCH__)
  asm("mov.u32 %0, %%envreg1;" : "=r"(low));
  asm("mov.u32 %0, %%envreg2;" : "=r"(high));
#endif
  return (low | high) != 0;
}

// Reductions over the lanes of a mask, in one instruction each. `Word` is unsigned; as a template parameter it delays
// the look-up of the intrinsics, which are not declared for older architectures.

template <class Word, int Code = compiled_code>
HEDDLE_DEVICE Word redux_sync_add(unsigned lanes, Word value) {
  if constexpr (expansion_needs<Code>::is_met) return __reduce_add_sync(lanes, value);
  return value;
}

template <class Word, int Code = compiled_code>
HEDDLE_DEVICE Word redux_sync_min(unsigned lanes, Word value) {
  if constexpr (expansion_needs<Code>::is_met) return __reduce_min_sync(lanes, value);
  return value;
}

template <class Word, int Code = compiled_code>
HEDDLE_DEVICE Word redux_sync_max(unsigned lanes, Word value) {
  if constexpr (expansion_needs<Code>::is_met) return __reduce_max_sync(lanes, value);
  return value;
}

template <class Word, int Code = compiled_code>
HEDDLE_DEVICE Word redux_sync_or(unsigned lanes, Word value) {
  if constexpr (expansion_needs<Code>::is_met) return __reduce_or_sync(lanes, value);
  return value;
}

// Asynchronous copies to shared memory. `cp_async_wait_all` waits for them.

/// Copies at most 16 bytes between addresses aligned to 16 bytes, and writes zeros to the rest of the 16.
HEDDLE_DEVICE inline void cp_async(unsigned* to, const unsigned* from, unsigned bytes) {
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(bytes)
               : "memory");
#else
  for (unsigned i = 0; i < 4; ++i) to[i] = 4 * i < bytes ? from[i] : 0;
#endif
}

HEDDLE_DEVICE inline void cp_async_wait_all() {
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}}}  // namespace heddle::HEDDLE_ABI::detail::ptx

#endif

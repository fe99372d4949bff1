#pragma once

#include <heddle/detail/ptx.hpp>

#if defined(__CUDACC__)

// Instructions that traces alone use.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::ptx {

/// Returns the ticks of this multiprocessor's clock. Accesses to memory before and after it stay there.
HEDDLE_DEVICE inline unsigned long long clock64() {
  unsigned long long ticks;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(ticks)::"memory");
  return ticks;
}

struct two_words {
  unsigned long long first, second;
};

/// Loads 16 bytes of global memory past L1.
HEDDLE_DEVICE inline two_words ld_volatile_v2(const unsigned long long* from) {
  two_words both;
  asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(both.first), "=l"(both.second)
               : "l"(from)
               : "memory");
  return both;
}

/// Stores 16 bytes to global memory.
HEDDLE_DEVICE inline void st_v2(unsigned long long* to, unsigned long long first, unsigned long long second) {
  asm volatile("st.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(first), "l"(second) : "memory");
}

}}}  // namespace heddle::HEDDLE_ABI::detail::ptx

#endif

#pragma once

// Runs kernels of heddle on the host, by the simulator of tools/foreign. Include this header first: the host's compiler
// then compiles all headers after it as NVRTC would, with the instructions of tests/simt/heddle.

#define HEDDLE_CHECKS 1
#include "../tools/foreign/heddle/foreign/simt.hpp"

#define __CUDACC__
#define __CUDACC_RTC__
#define __launch_bounds__(...)
#include "../tools/foreign/heddle/foreign/words.hpp"

using uint3 = simt::three;

/// Memory on the stack of a thread is not shared memory; all other memory counts as such.
inline bool __isShared(const void* pointer) {
  const char *const at = static_cast<const char*>(pointer), *const stack = simt::self->stack.get();
  return at < stack || at >= stack + simt::stack_bytes;
}
inline void __assertfail(const char* misuse, const char*, unsigned, const char*, std::size_t) {
  throw std::logic_error(misuse);
}

#pragma once

#include <heddle/detail/ptx.hpp>

#if defined(__CUDACC__)

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::ptx {

/// Returns the same value. What depends on it is computed where it stands, and not before a branch or a loop around it.
HEDDLE_DEVICE inline unsigned computed_here(unsigned value) {
  asm volatile("// here %0" : "+r"(value));
  return value;
}

}}}  // namespace heddle::HEDDLE_ABI::detail::ptx

#endif

#pragma once

#include <heddle/detail/ptx.hpp>

#if defined(__CUDACC__)

// Instructions of programmatic launches, which start before the launch before them has ended.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::ptx {

HEDDLE_DEVICE inline void griddepcontrol_wait() {
  if constexpr (has_clusters) asm volatile("griddepcontrol.wait;" ::: "memory");
}

HEDDLE_DEVICE inline void griddepcontrol_launch_dependents() {
  if constexpr (has_clusters) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

}}}  // namespace heddle::HEDDLE_ABI::detail::ptx

#endif

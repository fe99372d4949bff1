#pragma once

#include <heddle/detail/ptx.hpp>

// In place of include/heddle/reorder/detail/ptx.hpp.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::ptx {

inline unsigned computed_here(unsigned value) {
  return value;
}

}}}  // namespace heddle::HEDDLE_ABI::detail::ptx

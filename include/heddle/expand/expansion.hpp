#pragma once

#include <heddle/config.hpp>

namespace heddle::inline v0 {

/// So much work: sources that spawn something, and the items that they spawn. What there is room for, or what was
/// required.
struct expansion {
  unsigned long long sources, items;
};

namespace detail {

/// A number of things as the messages of refusals take it: what has no such form is far beyond every limit.
HEDDLE_FN long long as_signed(unsigned long long count) {
  return count >> 63 == 0 ? static_cast<long long>(count) : 0x7fffffffffffffff;
}

}  // namespace detail

}  // namespace heddle::inline v0

#pragma once

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Names the threads that take an item together.
enum class granularity {
  thread,  // one thread per item
  warp,    // the 32 threads of a warp per item
  block    // all threads of a block per item: the body may contain barriers
};

}}  // namespace heddle::HEDDLE_ABI

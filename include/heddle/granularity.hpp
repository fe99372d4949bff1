#pragma once

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI {

/// What works on an item: one thread, the 32 threads of a warp, or a block, whose body may hold barriers.
enum class granularity { thread, warp, block };

}  // namespace heddle::inline HEDDLE_ABI

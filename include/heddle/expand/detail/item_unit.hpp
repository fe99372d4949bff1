#pragma once

#include <heddle/detail/check.hpp>
#include <heddle/detail/warp.hpp>
#include <heddle/granularity.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::expand {

#if defined(__CUDACC__)

/// With HEDDLE_CHECKS, refuses a launch of the second pass that `grid` would not return, as far as a block can see.
template <class Storage>
HEDDLE_DEVICE void check_items(const Storage& storage) {
  check(gridDim.y == 1 && gridDim.z == 1,
        "heddle: items in a grid of more than one dimension, in which each would be taken several times");
  check(warp::threads_in_block() % 32 == 0, "heddle: items of blocks that are not whole warps");
  check_storage(storage, "heddle: the storage of items is not in shared memory");
}

/// Numbers the units that each work on an item: threads, warps or blocks, in a launch of whole warps.
template <granularity Granularity>
struct unit {
  HEDDLE_DEVICE static unsigned number() {
    if constexpr (Granularity == granularity::thread) {
      return blockIdx.x * warp::threads_in_block() + warp::thread();
    } else {
      return number_of_warp();
    }
  }
  HEDDLE_DEVICE static unsigned count() {
    return Granularity == granularity::thread ? gridDim.x * warp::threads_in_block() : count_of_warps();
  }

  /// Returns the number of the warp as the unit, also where threads take items: for lists in which the threads of a
  /// warp find their items together.
  HEDDLE_DEVICE static unsigned number_of_warp() {
    if constexpr (Granularity == granularity::block) return blockIdx.x;
    return blockIdx.x * warps() + warp::thread() / 32;
  }
  HEDDLE_DEVICE static unsigned count_of_warps() {
    return gridDim.x * (Granularity == granularity::block ? 1 : warps());
  }

 private:
  HEDDLE_DEVICE static unsigned warps() { return warp::threads_in_block() / 32; }
};

#endif

}}}  // namespace heddle::HEDDLE_ABI::detail::expand

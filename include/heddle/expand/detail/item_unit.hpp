#pragma once

#include <heddle/detail/check.hpp>
#include <heddle/detail/warp.hpp>
#include <heddle/granularity.hpp>

namespace heddle::inline HEDDLE_ABI::detail::expand {

#if defined(__CUDACC__)

/// Of a launch that takes items what a block can see: it is one that `grid` returns.
template <class Storage>
HEDDLE_DEVICE void check_items(const Storage& storage) {
  check(gridDim.y == 1 && gridDim.z == 1,
        "heddle: items in a grid of more than one dimension, in which each would be taken several times");
  check(warp::threads_in_block() % 32 == 0, "heddle: items of blocks that are not whole warps");
  check_storage(storage, "heddle: the storage of items is not in shared memory");
}

/// What works on an item together, in a launch of whole warps: this one, of so many.
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

  /// Where the threads of a warp find their items together: they are one.
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

}  // namespace heddle::inline HEDDLE_ABI::detail::expand

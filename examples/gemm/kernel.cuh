#pragma once

#include <heddle/concepts.hpp>

#include "hopper/element.cuh"

// What both kernels share.

namespace gemm {

using hopper::major;

/// The epilogue that changes nothing.
struct identity {
  __host__ __device__ float operator()(float value, int, int) const { return value; }
};

namespace detail {

/// A whole tile, as one part with all of its steps.
template <class Tile>
struct whole_tile {
  struct sums {
    int tile, slot, first, count;
  };
  Tile tile;
  int begin, end;
  sums share;
};

/// Returns the part of a tile that a block is to do, whether or not its scheduler splits tiles.
template <class Place>
__device__ auto part_at(const Place& place, [[maybe_unused]] int k_steps) {
  const auto here = *place;
  if constexpr (requires { here.share; }) {
    return here;
  } else {
    return whole_tile<decltype(*place)>{here, 0, k_steps, {0, 0, 0, 1}};
  }
}

/// The type of the arrivals that a thread counts after it has stored a part of a tile; an unused int if tiles are not
/// split.
template <class Scheduler>
struct arriving {
  using type = int;
};
template <heddle::split_scheduler Scheduler>
struct arriving<Scheduler> {
  using type = typename Scheduler::arriving;
};

/// Enters the launch for the arrivals. One thread of each block must call it.
template <class Scheduler>
__device__ typename arriving<Scheduler>::type enter(const Scheduler& scheduler) {
  if constexpr (heddle::split_scheduler<Scheduler>) return scheduler.enter();
  return {};
}

}  // namespace detail

}  // namespace gemm

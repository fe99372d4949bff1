#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

#include <heddle/concepts.hpp>

// What both kernels share.

namespace gemm {

/// The extent along which a matrix is contiguous: k, or the rows of A (the columns of B).
enum class major { k, mn };

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

template <class Element>
__device__ unsigned pack(float low, float high) {
  if constexpr (std::is_same_v<Element, __nv_bfloat16>) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return reinterpret_cast<const unsigned&>(pair);
  } else {
    const __half2 pair = __floats2half2_rn(low, high);
    return reinterpret_cast<const unsigned&>(pair);
  }
}

template <class Element>
__device__ float2 unpack(unsigned pair) {
  if constexpr (std::is_same_v<Element, __nv_bfloat16>) {
    return __bfloat1622float2(reinterpret_cast<const __nv_bfloat162&>(pair));
  } else {
    return __half22float2(reinterpret_cast<const __half2&>(pair));
  }
}

}  // namespace detail

}  // namespace gemm

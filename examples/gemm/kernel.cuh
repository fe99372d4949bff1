#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

#include <heddle/concepts.hpp>

// What both kernels share.

namespace gemm {

/// Along which of its two extents a matrix is contiguous: k, or the rows of A (the columns of B).
enum class major { k, mn };

/// C as it is.
struct identity {
  __host__ __device__ float operator()(float value, int, int) const { return value; }
};

namespace detail {

/// A whole tile, as a part of itself.
template <class Tile>
struct whole_tile {
  struct sums {
    int tile, slot, first, count;
  };
  Tile tile;
  int begin, end;
  sums share;
};

/// What is to be done at a place, whether or not its scheduler splits tiles.
template <class Place>
__device__ auto part_at(const Place& place, [[maybe_unused]] int k_steps) {
  const auto here = *place;
  if constexpr (requires { here.share; }) {
    return here;
  } else {
    return whole_tile<decltype(*place)>{here, 0, k_steps, {0, 0, 0, 1}};
  }
}

/// By which a thread tells that it stored a part of a tile. Nothing, where tiles are not split.
template <class Scheduler>
struct arriving {
  using type = int;
};
template <heddle::split_scheduler Scheduler>
struct arriving<Scheduler> {
  using type = typename Scheduler::arriving;
};

/// For one thread of a block.
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

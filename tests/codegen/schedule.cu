// Loops over schedulers, and the same loops written by hand. loops.cpp reads the compiled code; it never runs.

#include <heddle/order/clustered.hpp>
#include <heddle/order/cta_swizzle.hpp>
#include <heddle/order/in_bands.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/order/tile_of_block.hpp>
#include <heddle/schedule/cluster_launch.hpp>
#include <heddle/schedule/one_shot.hpp>
#include <heddle/schedule/sm_affine.hpp>
#include <heddle/schedule/strided.hpp>
#include <heddle/schedule/ticket.hpp>
#include <heddle/schedule/work_stealing.hpp>

#include "../../bench/wild/multiply.cuh"

using namespace heddle;

/// A tile body of a few instructions with its own loop, as a real one has.
__device__ __forceinline__ void body(coord tile, const float* in, float* out, int pitch) {
  float sum = 0;
  const int first = tile.row * pitch + tile.col * 128 + static_cast<int>(threadIdx.x);
  for (int tap = 0; tap < 16; ++tap) sum += in[first + tap * pitch];
  out[first] = sum;
}

template <class Scheduler>
__device__ __forceinline__ void walk(const Scheduler& scheduler, const float* in, float* out, int pitch) {
  __shared__ typename Scheduler::storage smem;
  for (const coord tile : scheduler.tiles(smem)) body(tile, in, out, pitch);
}

template <class Order>
__device__ __forceinline__ void strided_by_hand(const Order& order, const float* in, float* out, int pitch) {
#pragma unroll 1
  for (unsigned i = blockIdx.x; i < static_cast<unsigned>(order.size()); i += gridDim.x) {
    body(order(static_cast<int>(i)), in, out, pitch);
  }
}

template <class Order>
__device__ __forceinline__ void one_shot_by_hand(const Order& order, const float* in, float* out, int pitch) {
  unsigned i = blockIdx.x;
  asm("" : "+r"(i));  // with blockIdx.x in sight kernels can be slower
  if (i < static_cast<unsigned>(order.size())) body(order(static_cast<int>(i)), in, out, pitch);
}

/// In a launch of two dimensions, without an argument for the order.
extern "C" __global__ void in_bands_cta_swizzle(const float* in, float* out, int pitch) {
  const auto blockIdx = in_bands({.width = 8, .serpentine = true});
  body({static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x)}, in, out, pitch);
}

// A product that has as many registers as two blocks leave.

extern "C" __global__ __launch_bounds__(256) void product_in_bands(const float* a, const float* b, float* c) {
  const auto blockIdx = in_bands({.width = 8, .serpentine = true});
  wild::multiply(a, b, c, {static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x)});
}
extern "C" __global__ __launch_bounds__(256) void product_by_order(const __grid_constant__ cta_swizzle order,
                                                                   const float* a, const float* b, float* c) {
  wild::multiply(a, b, c, tile_of_block(order));
}

#define KERNELS(Order)                                                                                            \
  extern "C" __global__ void strided_##Order(const __grid_constant__ strided<Order> scheduler, const float* in,   \
                                             float* out, int pitch) {                                             \
    walk(scheduler, in, out, pitch);                                                                              \
  }                                                                                                               \
  extern "C" __global__ void strided_##Order##_by_hand(const __grid_constant__ Order order, const float* in,      \
                                                       float* out, int pitch) {                                   \
    strided_by_hand(order, in, out, pitch);                                                                       \
  }                                                                                                               \
  extern "C" __global__ void one_shot_##Order(const __grid_constant__ one_shot<Order> scheduler, const float* in, \
                                              float* out, int pitch) {                                            \
    walk(scheduler, in, out, pitch);                                                                              \
  }                                                                                                               \
  extern "C" __global__ void one_shot_##Order##_by_hand(const __grid_constant__ Order order, const float* in,     \
                                                        float* out, int pitch) {                                  \
    one_shot_by_hand(order, in, out, pitch);                                                                      \
  }

KERNELS(row_major)
KERNELS(cta_swizzle)

// A thread that only leads, and stores each tile: the registers that a role needs for its scheduler.

#define LEADER(name, ...)                                                                                    \
  extern "C" __global__ void lead_##name(const __grid_constant__ __VA_ARGS__ scheduler, volatile int* out) { \
    __shared__ static_shared<typename __VA_ARGS__::storage> smem;                                            \
    for (const coord tile : scheduler.lead(smem)) {                                                          \
      out[0] = tile.row;                                                                                     \
      out[1] = tile.col;                                                                                     \
    }                                                                                                        \
  }

LEADER(one_shot, one_shot<cta_swizzle>)
LEADER(strided, strided<cta_swizzle>)
LEADER(ticket, ticket<cta_swizzle>)
LEADER(sm_affine, sm_affine<cta_swizzle>)
LEADER(work_stealing, work_stealing<cta_swizzle>)
LEADER(cluster_launch, cluster_launch<cta_swizzle>)
LEADER(ticket_of_clusters, ticket<clustered<cta_swizzle>>)
LEADER(sm_affine_of_clusters, sm_affine<clustered<cta_swizzle>>)
LEADER(work_stealing_of_clusters, work_stealing<clustered<cta_swizzle>>)

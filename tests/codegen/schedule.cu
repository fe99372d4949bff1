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

/// 128 x 128 elements of a product, by 256 threads that have 64 sums each: as many registers as two blocks leave.
__device__ __forceinline__ void multiply(coord tile, const float4* a, const float4* b, float4* c, int side) {
  __shared__ float4 of_a[8][32], of_b[8][32];
  const int thread = static_cast<int>(threadIdx.x), x = thread % 16, y = thread / 16, quads = side / 4;
  const float4* from_a = a + (tile.row * 128 + thread / 2) * quads + thread % 2;
  const float4* from_b = b + thread / 32 * quads + tile.col * 32 + thread % 32;
  float sums[8][8] = {};
  for (int k = 0; k < side; k += 8, from_a += 2, from_b += 8 * quads) {
    const float4 next_a = *from_a, next_b = *from_b;
    __syncthreads();
    auto* const column = reinterpret_cast<float*>(of_a[thread % 2 * 4]) + thread / 2;
    column[0] = next_a.x, column[128] = next_a.y, column[256] = next_a.z, column[384] = next_a.w;
    of_b[thread / 32][thread % 32] = next_b;
    __syncthreads();
#pragma unroll
    for (int step = 0; step < 8; ++step) {
      const float4 rows[2] = {of_a[step][y], of_a[step][16 + y]}, cols[2] = {of_b[step][x], of_b[step][16 + x]};
      const float row[8] = {rows[0].x, rows[0].y, rows[0].z, rows[0].w, rows[1].x, rows[1].y, rows[1].z, rows[1].w};
      const float col[8] = {cols[0].x, cols[0].y, cols[0].z, cols[0].w, cols[1].x, cols[1].y, cols[1].z, cols[1].w};
#pragma unroll
      for (int i = 0; i < 64; ++i) sums[i / 8][i % 8] += row[i / 8] * col[i % 8];
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float4* const to = c + (tile.row * 128 + i / 4 * 64 + y * 4 + i % 4) * quads + tile.col * 32 + x;
    to[0] = {sums[i][0], sums[i][1], sums[i][2], sums[i][3]};
    to[16] = {sums[i][4], sums[i][5], sums[i][6], sums[i][7]};
  }
}
extern "C" __global__ __launch_bounds__(256) void product_in_bands(const float4* a, const float4* b, float4* c,
                                                                   int side) {
  const auto blockIdx = in_bands({.width = 8, .serpentine = true});
  multiply({static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x)}, a, b, c, side);
}
extern "C" __global__ __launch_bounds__(256) void product_by_order(const __grid_constant__ cta_swizzle order,
                                                                   const float4* a, const float4* b, float4* c,
                                                                   int side) {
  multiply(tile_of_block(order), a, b, c, side);
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

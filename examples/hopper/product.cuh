#pragma once

#include <heddle/order/clustered.hpp>
#include <heddle/order/cta_swizzle.hpp>
#include <heddle/schedule/strided.hpp>

#include "hopper/kernel.cuh"
#include "hopper/multiply.cuh"
#include "hopper/roles.cuh"
#include "hopper/store.cuh"
#include "hopper/tensor_map.cuh"

// C = A B on Hopper, and nothing else: one shape of tile, one schedule, no epilogue. It is the kernel to begin with.
// docs/hopper.md walks through it; examples/gemm has what a library adds.

namespace hopper::smallest {

using element = __nv_bfloat16;
constexpr int tile_m = 128, tile_n = 256, tile_k = 64;  // 64 elements are the 128 bytes of a swizzle
constexpr int stages = 4, cluster = 2;                  // two blocks, one above the other, share the columns of B
constexpr int consumers = 2, threads = 128 * (consumers + 1);

template <class Scheduler>
struct memory {
  alignas(1024) unsigned char a[stages][tile_m * tile_k * 2];
  unsigned char b[stages][tile_n * tile_k * 2];
  unsigned char c[consumers * 4][2][staged<64>::bytes];  // two boxes per warp: one is filled while the other is stored
  ring<stages, cluster> full_and_empty;
  typename Scheduler::storage scheduler;
};

struct arguments {
  operand_maps a, b;
  CUtensorMap c;
  int m, n, k;
};

template <class Scheduler>
__global__ void __launch_bounds__(threads, 1)
    product(const __grid_constant__ Scheduler scheduler, const __grid_constant__ arguments of) {
  auto& smem = shared_memory<memory<Scheduler>>();
  auto& ring = smem.full_and_empty;
  const int number = warpgroup(), thread = thread_of_warpgroup(), lane = thread % 32;
  const int steps = (of.k + tile_k - 1) / tile_k;
  const cluster_place<cluster, 1> here;
  place<stages> at;

  if (threadIdx.x == 0) {
    ring.init(/*fills*/ 1, /*releases*/ consumers * cluster);
    ptx::fence_mbarrier_init();
    scheduler.start(smem.scheduler, /*followers*/ 128 * consumers);
  }
  sync_all<true>();

  if (number == consumers) {  // the producer: one thread has the operands of all tiles copied
    ptx::setmaxnreg_dec<40>();
    bool backwards = false;  // every other tile begins with what the one before it has left in L2
    if (thread == 0) {
      for (const auto [row, col] : scheduler.lead(smem.scheduler)) {
        const boxes<major::k, tile_m, 1> a(of.a, row * tile_m, of.m);
        const boxes<major::k, tile_n, cluster> b(of.b, col * tile_n, of.n);
        for (int step = 0; step < steps; ++step, at.advance()) {
          const int k = (backwards ? steps - 1 - step : step) * tile_k;
          ring.fill(at, static_cast<unsigned>((a.rows + b.rows) * tile_k * 2));
          a.load(smem.a[at.stage], k, ring.filled(at), here.n, here.of_same_row);
          b.load(smem.b[at.stage], k, ring.filled(at), here.m, here.of_same_col);
        }
        backwards = !backwards;
      }
    }
  } else {  // a consumer: 64 rows of all tiles
    ptx::setmaxnreg_inc<232>();
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const sharer with{static_cast<unsigned>(thread), here.has_loads_of(thread)};
    float sums[1][tile_n / 2] = {};
    for (const auto [row, col] : scheduler.follow(smem.scheduler)) {
      const auto matrices = [&](int stage, int) -> operands_of_stage {
        return {operand<major::k>::matrix_at(smem.a[stage] + number * 64 * 128),
                operand<major::k>::matrix_at(smem.b[stage])};
      };
      multiply_stages<element, major::k, major::k>(sums, steps, ring, at, with, matrices, [] {});
#pragma unroll
      for (int part = 0; part < tile_n / 64; ++part) {
        unsigned char* const box = smem.c[warp][part % 2];
        if (lane == 0) ptx::cp_async_bulk_wait_group_read<1>();  // the store before the last has read its box
        __syncwarp();
        stage_rows<64, false>(box, lane, [&](int, int, int i) {
          return pack<element>(sums[0][part * 32 + i], sums[0][part * 32 + i + 1]);
        });
        ptx::fence_proxy_async();
        __syncwarp();
        const int x = col * tile_n + part * 64, y = row * tile_m + warp * 16;
        if (lane == 0) store_box(of.c, x, y, box, x < of.n && y < of.m);
      }
    }
    if (lane == 0) ptx::cp_async_bulk_wait_group_read<0>();
  }
  sync_all<true>();  // the other block may still write to this one
}

/// Enqueues C = A B: A has m rows of k, B n columns of k, and C m rows of n elements, all dense. k and n are multiples
/// of 8, and addresses of 16 bytes.
inline cudaError_t enqueue(const element* a, const element* b, element* c, int m, int n, int k, cudaStream_t stream) {
  const heddle::extent tiles = heddle::ceil_div(m, n, {tile_m, tile_n});
  const heddle::cta_swizzle bands{heddle::ceil_div(tiles, heddle::extent{cluster, 1}), 8, heddle::axis::y};
  const heddle::strided scheduler{heddle::clustered{bands, {cluster, 1}, tiles}};
  using by = std::remove_const_t<decltype(scheduler)>;
  const auto [map_a, error_a] = make_operand_maps<element, major::k, tile_m, 1>(a, m, k, k);
  const auto [map_b, error_b] = make_operand_maps<element, major::k, tile_n, cluster>(b, n, k, k);
  const auto [map_c, error_c] = make_tensor_map<element>(c, {m, n, n}, {16, 64});
  for (const cudaError_t error : {error_a, error_b, error_c}) {
    if (error != cudaSuccess) return error;
  }
  const kernel one{product<by>, threads, sizeof(memory<by>)};
  return one.launch(one.grid(scheduler), stream, scheduler, {map_a, map_b, map_c, m, n, k});
}

}  // namespace hopper::smallest

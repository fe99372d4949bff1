#pragma once

#include "split.cuh"

// Tiles that the blocks of a cluster make, a part of k each: each stores its sums in its own shared memory, and after a
// barrier of the cluster adds up a share of the tile out of the memory of all.

namespace gemm {

/// Returns an element of C, of which `before` is in memory, from its sum.
template <class Element, class Arguments>
__device__ float value_of(const Arguments& arguments, const Element& before, int m, int n, float sum) {
  sum *= arguments.alpha;
  if (arguments.beta != 0) sum += arguments.beta * static_cast<float>(before);
  return arguments.epilogue(sum, m, n);
}

/// Stores an element of C.
template <class Element, class Arguments>
__device__ void store_one(const Arguments& arguments, int m, int n, float sum) {
  if (m >= arguments.m || n >= arguments.n) return;
  Element& c = static_cast<Element*>(arguments.matrix_c)[m * arguments.ldc + n];
  c = static_cast<Element>(value_of(arguments, c, m, n, sum));
}

/// Stores two elements of a row of C, the first of which has an even column.
template <class Element, class Arguments>
__device__ void store_pair(const Arguments& arguments, int m, int n, float low, float high) {
  if (m >= arguments.m || n >= arguments.n) return;
  Element* const c = static_cast<Element*>(arguments.matrix_c) + m * arguments.ldc + n;
  const auto value = [&](float sum, int i) { return value_of(arguments, c[i], m, n + i, sum); };
  if (n + 1 < arguments.n) {
    *reinterpret_cast<unsigned*>(c) = hopper::pack<Element>(value(low, 0), value(high, 1));
  } else {
    *c = static_cast<Element>(value(low, 0));
  }
}

/// Stores the sums of a thread in the ring, in place of operands that have been multiplied. A row is a float4 per
/// thread of a warp. All threads of the consumers call it.
template <class Shape, class Smem, int Parts, int Sums>
__device__ void put_in_ring(Smem& smem, const float (&sums)[Parts][Sums]) {
  static_assert(sizeof smem.a + sizeof smem.b >= Shape::tile_m * Shape::tile_n * 4 && !Shape::in_turn);
  constexpr int fours = fours_of<Parts, Sums>;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  hopper::sync(hopper::of_tile, 0, 128 * Shape::consumers);  // until the other warpgroups have multiplied, too
  float4* const mine = reinterpret_cast<float4*>(smem.a) + warp * fours * 32 + lane;
#pragma unroll
  for (int i = 0; i < fours; ++i) {
    const float* const four = four_of(sums, i);
    mine[i * 32] = make_float4(four[0], four[1], four[2], four[3]);
  }
}

/// Adds up what the blocks of a cluster have put in their rings, in the order of k, and stores the tile that begins at
/// `begin`: each block a share of it.
///
/// **Preconditions**: all threads of the consumers call it, after a barrier of the cluster.
template <class Shape, class Element, class Smem, class Arguments>
__device__ void add_up_in_cluster(Smem& smem, const Arguments& arguments, place_of_tile begin) {
  constexpr int warps = Shape::consumers * 4, rows = Shape::tile_m * Shape::tile_n / 128, of_warp = rows / warps;
  constexpr int of_64 = Shape::tile_n / 8, rows_at_once = 2, blocks_at_once = 4;  // loads that are on their way
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int rank = static_cast<int>(hopper::ptx::cluster_ctarank()),
            parts = static_cast<int>(hopper::ptx::cluster_nctarank());
  const unsigned memory = hopper::ptx::shared_address(smem.a) + static_cast<unsigned>(lane) * 16;
  const int end = rows * (rank + 1) / parts;
  for (int first = rows * rank / parts + warp; first < end; first += warps * rows_at_once) {
    float4 sums[rows_at_once] = {};
    for (int block = 0; block < parts; block += blocks_at_once) {
      float4 fours[blocks_at_once][rows_at_once] = {};
#pragma unroll
      for (int b = 0; b < blocks_at_once; ++b) {
#pragma unroll
        for (int i = 0; i < rows_at_once; ++i) {
          const int row = first + i * warps;
          if (row >= end || block + b >= parts) continue;
          fours[b][i] = hopper::ptx::ld_shared_cluster(memory + static_cast<unsigned>(row) * 512, block + b);
        }
      }
#pragma unroll
      for (const auto& of_block : fours) {
#pragma unroll
        for (int i = 0; i < rows_at_once; ++i) {
          sums[i].x += of_block[i].x, sums[i].y += of_block[i].y;
          sums[i].z += of_block[i].z, sums[i].w += of_block[i].w;
        }
      }
    }
#pragma unroll
    for (int i = 0; i < rows_at_once; ++i) {
      const int row = first + i * warps, from = row / of_warp, four = row % of_warp;
      if (row >= end) break;
      const int y = begin.row + from / 4 * Shape::rows64 * 64 + four / of_64 * 64 + from % 4 * 16 + lane / 4;
      const int x = begin.col + four % of_64 * 8 + lane % 4 * 2;
      if constexpr (Shape::transposed) {
        store_one<Element>(arguments, x, y, sums[i].x), store_one<Element>(arguments, x + 1, y, sums[i].y);
        store_one<Element>(arguments, x, y + 8, sums[i].z), store_one<Element>(arguments, x + 1, y + 8, sums[i].w);
      } else {
        store_pair<Element>(arguments, y, x, sums[i].x, sums[i].y);
        store_pair<Element>(arguments, y + 8, x, sums[i].z, sums[i].w);
      }
    }
  }
}

}  // namespace gemm

#pragma once

#include "hopper/roles.cuh"
#include "shape.cuh"

// Tiles that several blocks make, a part of k each: a block stores its sums in a slot of memory, and the last of them
// adds up the slots. Slots are read in the order of k, so that the bits do not depend on which block is last.

namespace gemm {

/// Whether the blocks of a cluster share a tile.
template <class Scheduler>
inline constexpr bool is_along_k = requires(const Scheduler& scheduler) {
  scheduler.order().parts();
};

/// Returns whether any thread may ask for tiles at any time: nothing is drawn, and nothing is noted.
template <class Scheduler>
__host__ __device__ constexpr bool only_computes() {
  if (!std::is_empty_v<typename Scheduler::storage>) return false;
  return heddle::split_scheduler<Scheduler> || is_along_k<Scheduler>;
}

/// Returns the part of a tile that a block is to do.
template <class Scheduler, class Place>
__device__ auto part_of(const Place& place, int k_steps) {
  auto part = detail::part_at(place, k_steps);
  if constexpr (is_along_k<Scheduler>) {
    const int rank = part.tile.batch, parts = static_cast<int>(hopper::ptx::cluster_nctarank());
    part.begin = k_steps * rank / parts, part.end = k_steps * (rank + 1) / parts;
  }
  return part;
}

/// Sums as fours, which are stored as one.
template <int Parts, int Sums>
inline constexpr int fours_of = Parts* Sums / 4;

template <class Float, int Parts, int Sums>
__device__ Float* four_of(Float (&sums)[Parts][Sums], int i) {
  return &sums[i / (Sums / 4)][i % (Sums / 4) * 4];
}

template <int Parts, int Sums>
__device__ void clear(float (&sums)[Parts][Sums]) {
#pragma unroll
  for (auto& part : sums) {
#pragma unroll
    for (float& sum : part) sum = 0;
  }
}

/// Returns a thread's part of a slot. It holds sums from a row of the tile on; the fours of its warpgroup lie one
/// behind the other.
template <class Shape>
__device__ float4* slot_of_thread(float4* slots, int slot, int first_row, int thread) {
  return slots + static_cast<std::size_t>(slot) * (Shape::tile_m * Shape::tile_n / 4) +
         first_row * (Shape::tile_n / 4) + thread;
}

/// Stores the sums of a thread in a slot.
template <int Parts, int Sums>
__device__ void put(const float (&sums)[Parts][Sums], float4* slot) {
#pragma unroll
  for (int i = 0; i < fours_of<Parts, Sums>; ++i) {
    const float* const four = four_of(sums, i);
    __stcg(slot + i * 128, make_float4(four[0], four[1], four[2], four[3]));
  }
}

/// Counts a part of a tile that is stored, by one of the warpgroups that made it. Returns true in the block that stored
/// last. All threads of those warpgroups call it.
template <class Shape, class Smem, class Sums>
__device__ bool is_last_of(Smem& smem, const Sums& share, int number, int thread) {
  const int group = Shape::in_turn ? number : 0, threads = 128 * Shape::consumers_of_tile;
  hopper::sync(hopper::of_tile, group, threads);
  if (number == group && thread == 0) smem.is_last[group] = smem.arrivals.arrive(share);
  hopper::sync(hopper::of_tile, group, threads);
  return smem.is_last[group] != 0;
}

/// Adds what a slot has to the sums of a thread.
template <int Parts, int Sums>
__device__ void add(float (&sums)[Parts][Sums], const float4* slot) {
#pragma unroll
  for (int i = 0; i < fours_of<Parts, Sums>; ++i) {
    const float4 four = __ldcg(slot + i * 128);
    float* const mine = four_of(sums, i);
    mine[0] += four.x, mine[1] += four.y, mine[2] += four.z, mine[3] += four.w;
  }
}

}  // namespace gemm

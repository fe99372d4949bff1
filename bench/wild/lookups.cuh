#pragma once

#include <heddle/reorder/block_exchange.hpp>
#include <heddle/reorder/block_reorder.hpp>
#include <heddle/reorder/grid_queues.hpp>

#include <utility>

#include "contest.cuh"

// Look-ups of cross sections, as codes for the transport of particles do them: a particle is in one of eight materials,
// of 4 to 321 nuclides, and each nuclide is a read at a random place of a table.

namespace wild {

constexpr unsigned lookups = 1 << 21;

struct particle {
  unsigned number, seed, sum;
};

struct cross_sections {
  const unsigned* table;
  unsigned mask;
  bool even;

  /// Half of the particles are in the first three materials.
  __device__ static unsigned material(unsigned seed) { return __popc(seed & 0x7f) < 3 ? seed >> 7 & 1 : seed >> 7 & 7; }
  __device__ unsigned nuclides(unsigned material) const {
    constexpr unsigned of[8] = {321, 4, 5, 4, 27, 21, 9, 40};
    return even ? 34 : of[material];
  }
  __device__ particle look_up(particle mine) const {
    const unsigned count = nuclides(material(mine.seed));
    unsigned at = mine.seed;
    for (unsigned i = 0; i < count; ++i) {
      at = at * 1664525u + 1013904223u;
      mine.sum += table[(at >> 4 ^ i) & mask];
    }
    return mine;
  }
};

__device__ inline particle particle_of(unsigned number) {
  return {number, mix(number * 3 + 1), 0};
}

__global__ void __launch_bounds__(256) look_up(cross_sections of, unsigned* sums) {
  const particle mine = of.look_up(particle_of(blockIdx.x * blockDim.x + threadIdx.x));
  sums[mine.number] = mine.sum;
}

using by_material = heddle::block_reorder<256, 3>;
using of_particle = heddle::block_exchange<particle, 256>;

__global__ void __launch_bounds__(256) look_up_together(cross_sections of, unsigned* sums) {
  __shared__ heddle::static_shared<by_material::storage> ranks;
  __shared__ heddle::static_shared<of_particle::storage> states;
  particle mine = particle_of(blockIdx.x * blockDim.x + threadIdx.x);
  by_material order(ranks);
  const auto placed = order.rank(of.material(mine.seed));
  mine = of.look_up(of_particle(states).to(mine, by_material::seat(placed.rank)));
  sums[mine.number] = mine.sum;
}

using queues_of_materials = heddle::grid_queues<8>;

__global__ void __launch_bounds__(256)
    push_particles(const __grid_constant__ queues_of_materials to, cross_sections of) {
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  to.push_some(of.material(particle_of(number).seed), number);
}
__global__ void __launch_bounds__(256)
    look_up_rows(const __grid_constant__ queues_of_materials from, cross_sections of, unsigned* sums) {
  __shared__ heddle::static_shared<queues_of_materials::storage> shared;
  for (const auto [key, number, active] : from.rows(shared)) {
    if (!active) continue;
    const particle mine = of.look_up(particle_of(number));
    sums[mine.number] = mine.sum;
  }
}

inline contest of_lookups(bool even) {
  constexpr unsigned size = 1u << 26;
  const auto table = make_words(size), sums = make_words(lookups);
  fill<<<1024, 256>>>(floats(table), size);
  check(cudaGetLastError());
  const auto state = make_words(queues_of_materials::state_bytes(lookups) / sizeof(unsigned) + 8);
  state->set_bytes(0);
  const queues_of_materials queues{lookups, state->data()};
  const cross_sections of{table->data(), size - 1, even};
  return {
      even ? "look-ups, even" : "look-ups",
      even ? "2²¹ particles, 34 nuclides in each of 8 materials" : "2²¹ particles, 8 materials of 4 to 321 nuclides",
      "grid_queues",
      sums,
      [=] { look_up<<<lookups / 256, 256>>>(of, sums->data()); },
      [=, keep = std::pair{table, state}] {
        push_particles<<<lookups / 256, 256>>>(queues, of);
        check(heddle::launch({.threads = 256}, look_up_rows, queues, of, sums->data()));
      }};
}

}  // namespace wild

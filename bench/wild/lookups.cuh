#pragma once

#include <heddle/reorder/key_trial.hpp>

#include <algorithm>
#include <iterator>
#include <vector>

#include "common/timing.hpp"
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

/// The same as a step of a particle.
struct in_materials {
  cross_sections of;
  unsigned* sums;

  __device__ particle begin(unsigned number) const { return particle_of(number); }
  __device__ unsigned key(const particle& mine) const { return of.material(mine.seed); }
  __device__ particle step(const particle& mine, bool has_work) const { return has_work ? of.look_up(mine) : mine; }
  __device__ void end(unsigned, const particle& mine) const { sums[mine.number] = mine.sum; }
};

inline contest of_lookups(bool even) {
  constexpr unsigned size = 1u << 26;
  const auto table = make_words(size), sums = make_words(lookups);
  fill<<<1024, 256>>>(floats(table), size);
  check(cudaGetLastError());
  using queues = heddle::grid_queues<8>;
  const auto state = make_words(queues::state_bytes(lookups) / sizeof(unsigned) + 8);
  state->set_bytes(0);
  const queues to{lookups, state->data()};
  const cross_sections of{table->data(), size - 1, even};
  const heddle::key_trial<3, in_materials> trial{{of, sums->data()}, lookups};
  const advice forms[] = {{"no sorting", [=] { check(trial.in_place(nullptr)); }},
                          {"block_reorder", [=] { check(trial.by_block(nullptr)); }},
                          {"grid_queues", [=, keep = table] { check(trial.by_queues(nullptr, to)); }}};
  return {
      even ? "look-ups, even" : "look-ups",
      even ? "2²¹ particles, 34 nuclides in each of 8 materials" : "2²¹ particles, 8 materials of 4 to 321 nuclides",
      "grid_queues",
      sums,
      [=, keep = state] { look_up<<<lookups / 256, 256>>>(of, sums->data()); },
      forms[2].run,
      [=, all = std::vector<advice>(std::begin(forms), std::end(forms))] {
        heddle_bench::event_timer timer;
        std::vector<double> of_form;
        for (const advice& each : all) each.run(), of_form.push_back(timer.milliseconds_of_each(5, each.run));
        const auto best = std::min_element(of_form.begin(), of_form.end()) - of_form.begin();
        return all[static_cast<std::size_t>(best)];
      }};
}

}  // namespace wild

#pragma once

#include <heddle/reorder/key_trial.hpp>

#include <algorithm>
#include <iterator>
#include <vector>

#include "common/cross_sections.cuh"
#include "contest.cuh"

// Look-ups of cross sections, of which half of the particles are in the first three materials.

namespace wild {

constexpr unsigned lookups = 1 << 21;

struct particle {
  unsigned number, seed, sum;
};

using heddle_bench::cross_sections;

/// Half of the particles are in the first three materials.
__device__ inline unsigned material_of(unsigned seed) {
  return __popc(seed & 0x7f) < 3 ? seed >> 7 & 1 : seed >> 7 & 7;
}
__device__ inline particle looked_up(const cross_sections& of, particle mine) {
  mine.sum += of.look_up(material_of(mine.seed), mine.seed);
  return mine;
}

__device__ inline particle particle_of(unsigned number) {
  return {number, mix(number * 3 + 1), 0};
}

__global__ void __launch_bounds__(256) look_up(cross_sections of, unsigned* sums) {
  const particle mine = looked_up(of, particle_of(blockIdx.x * blockDim.x + threadIdx.x));
  sums[mine.number] = mine.sum;
}

/// The same as a step of a particle.
struct in_materials {
  cross_sections of;
  unsigned* sums;

  __device__ particle begin(unsigned number) const { return particle_of(number); }
  __device__ unsigned key(const particle& mine) const { return material_of(mine.seed); }
  __device__ particle step(const particle& mine, bool has_work) const { return has_work ? looked_up(of, mine) : mine; }
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
  const cross_sections of{table->data(), size - 1, even ? 34u : 0u};
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
        std::vector<double> of_form;
        for (const advice& each : all) of_form.push_back(seconds_of(each.run));
        const auto best = std::min_element(of_form.begin(), of_form.end()) - of_form.begin();
        return all[static_cast<std::size_t>(best)];
      }};
}

}  // namespace wild

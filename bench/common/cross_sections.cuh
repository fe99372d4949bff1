#pragma once

namespace heddle_bench {

/// Look-ups of cross sections, as codes for the transport of particles do them: a particle is in one of eight
/// materials, of 4 to 321 nuclides, and each nuclide is a read at a random place of a table.
struct cross_sections {
  const unsigned* table;
  unsigned mask;
  unsigned of_each = 0;  // nuclides of each material, if they are even

  /// Returns the sum of what a particle reads, from a seed.
  __device__ unsigned look_up(unsigned material, unsigned at) const {
    constexpr unsigned of[8] = {321, 4, 5, 4, 27, 21, 9, 40};
    const unsigned nuclides = of_each > 0 ? of_each : of[material];
    unsigned sum = 0;
    for (unsigned i = 0; i < nuclides; ++i) {
      at = at * 1664525u + 1013904223u;
      sum += table[(at >> 4 ^ i) & mask];
    }
    return sum;
  }
};

}  // namespace heddle_bench

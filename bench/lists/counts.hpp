#pragma once

#include <cmath>

// Twenty distributions of counts over sources.

namespace lists {

/// Spreads the bits of a number over all of them.
__host__ __device__ inline unsigned mix(unsigned bits) {
  bits = (bits ^ bits >> 16) * 0x7feb352du;
  bits = (bits ^ bits >> 15) * 0x846ca68bu;
  return bits ^ bits >> 16;
}

struct draw {
  unsigned kind, sources;

  static constexpr unsigned kinds = 20;
  static const char* name(unsigned kind) {
    constexpr const char* names[kinds] = {"none",
                                          "1 each",
                                          "2 each",
                                          "8 each",
                                          "16 each",
                                          "uniform 0 to 2",
                                          "uniform 0 to 8",
                                          "uniform 0 to 32",
                                          "one of 6 has one",
                                          "one of 10 spawns, to 20",
                                          "one of 100 spawns, to 200",
                                          "one of 100 spawns, to 1600",
                                          "geometric, mean 1",
                                          "geometric, mean 6",
                                          "power law to 64",
                                          "power law to 4096",
                                          "power law to 65536",
                                          "power law to 65536, sorted",
                                          "one of 65536, others 0 or 1",
                                          "1, but one of 4096 has 4096"};
    return names[kind];
  }

  __host__ __device__ unsigned operator()(unsigned i) const {
    const unsigned bits = mix(i * 0x9e3779b9u + kind), more = mix(bits + 0x51ed270bu);
    const float u = (static_cast<float>(bits >> 8) + 0.5f) * 0x1p-24f;
    const auto below = [&](unsigned most) { return static_cast<unsigned>(u * static_cast<float>(most)); };
    const auto law = [&](float most, float by) { return static_cast<unsigned>(fminf(most, by / u)); };
    switch (kind) {
      case 0:
        return 0;
      case 1:
        return 1;
      case 2:
        return 2;
      case 3:
        return 8;
      case 4:
        return 16;
      case 5:
        return below(3);
      case 6:
        return below(9);
      case 7:
        return below(33);
      case 8:
        return more % 6 == 0;
      case 9:
        return more % 10 == 0 ? below(21) : 0;
      case 10:
        return more % 100 == 0 ? below(201) : 0;
      case 11:
        return more % 100 == 0 ? below(1601) : 0;
      case 12:
        return static_cast<unsigned>(logf(u) / logf(0.5f));
      case 13:
        return static_cast<unsigned>(logf(u) / logf(6.0f / 7));
      case 14:
        return law(64, 1);
      case 15:
        return law(4096, 1);
      case 16:
        return law(65536, 1);
      case 17:
        return static_cast<unsigned>(fminf(65536, 0.5f * static_cast<float>(sources) / static_cast<float>(i + 1)));
      case 18:
        return i == sources / 2 ? 65536 : more % 2;
      default:
        return more % 4096 == 0 ? 4096 : 1;
    }
  }
};

}  // namespace lists

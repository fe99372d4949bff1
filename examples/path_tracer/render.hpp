#pragma once

#include <functional>
#include <string>
#include <vector>

#include "film.hpp"
#include "world.hpp"

// Renders a world: on the host, or on a GPU in one of the modes.

namespace path_tracer {

/// How threads get paths.
enum class mode {
  each,        // one thread per path, until the path ends
  persistent,  // a thread takes the next path when its own has ended
  block,       // as persistent; before each bounce paths change places in a block, so that warps have one key
  queues,      // paths lie in memory; between two launches queues group those of one key
  in_place,    // the forms of `key_trial`, which needs no kernel for each
  by_block,
  by_queues
};
inline constexpr mode modes[] = {mode::each,     mode::persistent, mode::block,    mode::queues,
                                 mode::in_place, mode::by_block,   mode::by_queues};

inline const char* name_of(mode of) {
  constexpr const char* names[] = {"each", "persistent", "block", "queues", "in_place", "by_block", "by_queues"};
  return names[static_cast<int>(of)];
}

struct settings {
  int width = 960, height = 540;
  unsigned passes = 64;  // paths through each pixel
  mode how = mode::queues;
  bool gate = true;                                      // reorder only if it pays
  std::function<void(double)> progress = [](double) {};  // called with the part done, 0 to 1
};

struct rendered {
  std::vector<film::sum> sums;
  unsigned long long rays = 0;  // to the next surface; rays to lamps are not counted
  double milliseconds = 0;
  std::string error;  // empty if there is none
};

/// Returns the light of a film, per pass.
inline std::vector<float> light_of(const rendered& of, unsigned passes) {
  std::vector<float> light(of.sums.size());
  for (std::size_t i = 0; i < light.size(); ++i) {
    light[i] = static_cast<float>(static_cast<double>(of.sums[i]) * film::unit / passes);
  }
  return light;
}

/// Renders on the host, with as many threads as the machine has.
rendered render_on_host(const world& of, const settings& chosen);

/// Returns the name of the GPU, empty if there is none.
std::string gpu();
rendered render_on_gpu(const world& of, const settings& chosen);

}  // namespace path_tracer

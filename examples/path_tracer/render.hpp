#pragma once

#include <functional>
#include <string>
#include <vector>

#include "film.hpp"
#include "world.hpp"

// Renders a world: on the host, or on a GPU in one of the modes.

namespace path_tracer {

/// How paths are dealt out to threads.
enum class mode {
  each,        // a thread for each path, as long as it lasts
  persistent,  // a thread goes on to the next path when its own has ended
  block,       // the same, and before each bounce the paths of a block change places, so that warps have one key
  queues,      // paths lie in memory, and between two launches queues bring those of a key together
};
inline constexpr mode modes[] = {mode::each, mode::persistent, mode::block, mode::queues};

inline const char* name_of(mode of) {
  switch (of) {
    case mode::each:
      return "each";
    case mode::persistent:
      return "persistent";
    case mode::block:
      return "block";
    default:
      return "queues";
  }
}

struct settings {
  int width = 960, height = 540;
  unsigned passes = 64;  // paths through each pixel
  mode how = mode::queues;
  bool gate = true;                                      // only where it pays
  std::function<void(double)> progress = [](double) {};  // of 1
};

struct rendered {
  std::vector<film::sum> sums;
  unsigned long long rays = 0;  // to the next surface: those that ask for a lamp are not counted
  double milliseconds = 0;
  std::string error;  // empty if there is none
};

/// Of one pass, what is in a film.
inline std::vector<float> light_of(const rendered& of, unsigned passes) {
  std::vector<float> light(of.sums.size());
  for (std::size_t i = 0; i < light.size(); ++i) {
    light[i] = static_cast<float>(static_cast<double>(of.sums[i]) * film::unit / passes);
  }
  return light;
}

/// By as many threads as the machine has.
rendered render_on_host(const world& of, const settings& chosen);

/// The name of the GPU here; empty if there is none.
std::string gpu();
rendered render_on_gpu(const world& of, const settings& chosen);

}  // namespace path_tracer

#pragma once

// What tests that run schedulers on the host begin with. Include simt.hpp first.

#include <algorithm>
#include <vector>

#include <heddle/order/clustered.hpp>
#include <heddle/order/row_major.hpp>

namespace heddle_test {

/// Returns a number from `least` to `most`, by the seed of the run.
inline unsigned drawn(unsigned least, unsigned most) {
  return least + static_cast<unsigned>(simt::random() % (most - least + 1));
}

/// A state, zeroed once.
struct zeroed {
  std::vector<unsigned long long> words = std::vector<unsigned long long>(2048);
  void* data() { return words.data(); }
};

/// Draws a launch for a scheduler: any legal number of workers, some of them resident.
template <class Scheduler>
simt::shape drawn_shape(const Scheduler& scheduler, unsigned threads) {
  unsigned in_cluster = 1;
  if constexpr (requires { scheduler.order().blocks_in_cluster(); }) {
    in_cluster = static_cast<unsigned>(scheduler.order().blocks_in_cluster());
  }
  const auto tiles = static_cast<unsigned>(scheduler.order().size());
  const unsigned blocks = (Scheduler::persistent ? drawn(1, 5) : tiles) * in_cluster;
  return {.blocks = blocks,
          .threads = threads,
          .resident = in_cluster > 1 ? blocks : drawn(1, std::min(blocks, 5u)),
          .cluster = in_cluster,
          .processors = drawn(1, 3)};
}

/// Calls `check` with random orders of tiles and of clusters, so many of each.
template <class Check>
void over_grids_and_clusters(int rounds, const Check& check) {
  for (int round = 0; round < rounds; ++round) {
    check(heddle::row_major{{1, drawn(1, 24)}});
    const heddle::extent grid{drawn(1, 5), drawn(1, 5)}, cluster{drawn(1, 2), drawn(1, 2)};
    check(heddle::clustered{heddle::row_major{ceil_div(grid, cluster)}, cluster, grid});
  }
}

}  // namespace heddle_test

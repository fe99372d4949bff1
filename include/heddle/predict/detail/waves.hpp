#pragma once

#include <algorithm>
#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/predict/schedule_kind.hpp>

namespace heddle::inline v0::detail {

/// Calls f(tiles) for each wave of `concurrent_blocks` tiles, until it returns false.
template <grid_order Order, class F>
void for_each_wave(const Order& order, int concurrent_blocks, predict::schedule_kind schedule, const F& f) {
  const int tiles = order.size(), blocks = (std::min)(concurrent_blocks, (std::max)(1, tiles));
  const int run = tiles / blocks, longer_runs = tiles % blocks;  // of chunked: the first runs are a tile longer
  std::vector<coord> wave;
  for (int first = 0, turn = 0; first < tiles; first += static_cast<int>(wave.size()), ++turn) {
    wave.clear();
    for (int block = 0, end = (std::min)(blocks, tiles - first); block < end; ++block) {
      const int begin = block * run + (std::min)(block, longer_runs);
      wave.push_back(order(schedule == predict::schedule_kind::chunked ? begin + turn : first + block));
    }
    if (!f(wave)) return;
  }
}

}  // namespace heddle::inline v0::detail

#pragma once

#include <algorithm>
#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/predict/schedule_kind.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Says which block takes which tile of an order if all blocks go in step: `blocks` per multiprocessor, all resident.
struct taking {
  int tiles, multiprocessors, blocks;
  predict::schedule_choice schedule;

  long long at_once() const { return 1LL * multiprocessors * blocks; }
  int waves() const { return tiles == 0 ? 0 : static_cast<int>((tiles - 1) / at_once()) + 1; }

  /// Returns the index that one block of a multiprocessor takes in a wave, or at least `tiles` if it takes none.
  long long index(int multiprocessor, int block, int wave) const {
    const long long number = 1LL * block * multiprocessors + multiprocessor, all = (std::min)(at_once(), 1LL * tiles);
    switch (schedule.kind) {
      case predict::schedule_kind::chunked: {
        const long long run = tiles / all, longer_runs = tiles % all;  // the first runs are a tile longer
        const bool has_one = number < all && wave < run + (number < longer_runs ? 1 : 0);
        return has_one ? number * run + (std::min)(number, longer_runs) + wave : tiles;
      }
      case predict::schedule_kind::sm_affine: {
        const long long drawn = 1LL * wave * blocks + block;
        return (drawn / schedule.run * multiprocessors + multiprocessor) * schedule.run + drawn % schedule.run;
      }
      default:
        return wave * at_once() + number;
    }
  }
};

/// Calls f(tiles) for each wave of the whole chip until f returns false.
template <tile_order Order, class F>
void for_each_wave(const Order& order, taking by, const F& f) {
  // The last turn has fewer runs, but these take as many waves as in any other turn.
  const long long turn = 1LL * by.schedule.run * by.multiprocessors;
  const bool is_affine = by.schedule.kind == predict::schedule_kind::sm_affine;
  const long long turns = is_affine ? (by.tiles + turn - 1) / turn : 0;
  const long long waves = is_affine ? (turns * by.schedule.run + by.blocks - 1) / by.blocks : by.waves();
  std::vector<tile_of<Order>> wave;
  for (int i = 0; i < waves; ++i) {
    wave.clear();
    for (int block = 0; block < by.blocks; ++block) {
      for (int multiprocessor = 0; multiprocessor < by.multiprocessors; ++multiprocessor) {
        const long long index = by.index(multiprocessor, block, i);
        if (index < by.tiles) wave.push_back(order(static_cast<int>(index)));
      }
    }
    if (!wave.empty() && !f(wave)) return;
  }
}

}  // namespace heddle::inline HEDDLE_ABI::detail

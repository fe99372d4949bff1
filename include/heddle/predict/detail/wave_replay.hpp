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
  long long waves() const { return tiles == 0 ? 0 : (tiles - 1) / at_once() + 1; }

  /// Returns the index that one block of a multiprocessor takes in a wave, or at least `tiles` if it takes none.
  long long index(int multiprocessor, int block, long long wave) const {
    const long long number = 1LL * block * multiprocessors + multiprocessor, all = (std::min)(at_once(), 1LL * tiles);
    switch (schedule.kind) {
      case predict::schedule_kind::chunked: {
        const long long run = tiles / all, longer_runs = tiles % all;  // the first runs are a tile longer
        const bool has_one = number < all && wave < run + (number < longer_runs ? 1 : 0);
        return has_one ? number * run + (std::min)(number, longer_runs) + wave : tiles;
      }
      case predict::schedule_kind::sm_affine: {
        const long long drawn = wave * blocks + block;
        return (drawn / schedule.run * multiprocessors + multiprocessor) * schedule.run + drawn % schedule.run;
      }
      default:
        return wave * at_once() + number;
    }
  }
};

/// The waves of the whole chip, in which blocks take the tiles of an order.
template <class Order>
class chip_waves {
 public:
  using wave = std::vector<typename plain<decltype(any<Order>()(0))>::type>;

  chip_waves(const Order& order, taking by) : order_(order), by_(by), size_(by.waves()) {
    if (by.schedule.kind == predict::schedule_kind::sm_affine) {
      by_.schedule.run = std::clamp(by.tiles, 1, by.schedule.run);  // a longer one has the same tiles
      // The last turn has fewer runs, but these take as many waves as in any other turn.
      const long long turn = 1LL * by_.schedule.run * by.multiprocessors, turns = (by.tiles + turn - 1) / turn;
      size_ = (turns * by_.schedule.run + by.blocks - 1) / by.blocks;
    }
  }

  /// Returns the number of waves. Some may be empty.
  long long size() const { return size_; }

  /// Returns the tiles of a wave, until the next call.
  const wave& operator()(long long number) {
    wave_.clear();
    for (int block = 0; block < by_.blocks; ++block) {
      for (int multiprocessor = 0; multiprocessor < by_.multiprocessors; ++multiprocessor) {
        const long long index = by_.index(multiprocessor, block, number);
        if (index >= by_.tiles) break;  // as are those of the multiprocessors behind
        wave_.push_back(order_(static_cast<int>(index)));
      }
    }
    return wave_;
  }

 private:
  const Order& order_;
  taking by_;
  long long size_;
  wave wave_;
};

}  // namespace heddle::inline HEDDLE_ABI::detail

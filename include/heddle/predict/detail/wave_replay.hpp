#pragma once

#include <algorithm>
#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/predict/advice_rules.hpp>
#include <heddle/predict/device.hpp>
#include <heddle/recipe/recipe.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// What a replay needs to know of a chip.
struct replay_size {
  int multiprocessors, blocks;  // `blocks` per multiprocessor
  long long cache_bytes;
};

/// Returns a chip whose cache is one part of L2: tiles that share what they read run anywhere on the chip, so that each
/// part keeps a copy of it. H200: raster over an image whose live rows are 42 MB reads 18.2 GB of DRAM by the counters;
/// 60 MB of cache would predict 4.3 GB, 30 MB predict 20.2 GB (docs/convolution.md).
inline replay_size replay_size_of(const predict::advice_rules& rules, const predict::device& device, int blocks) {
  return {device.multiprocessors, rules.blocks_go_in_step ? blocks : 1, device.l2_bytes / device.l2_copies};
}

/// Says which block takes which tile of an order if all blocks go in step: `blocks` per multiprocessor, all resident.
struct taking {
  int tiles, multiprocessors, blocks;
  recipe launch;

  long long at_once() const { return 1LL * multiprocessors * blocks; }
  long long waves() const { return tiles == 0 ? 0 : (tiles - 1) / at_once() + 1; }

  /// Returns the index that one block of a multiprocessor takes in a wave, or at least `tiles` if it takes none.
  long long index(int multiprocessor, int block, long long wave) const {
    const long long number = 1LL * block * multiprocessors + multiprocessor, all = (std::min)(at_once(), 1LL * tiles);
    switch (launch.schedule) {
      case recipe::chunked: {
        const auto begin_of = [&](long long run) { return run * (tiles / all) + (std::min)(run, tiles % all); };
        const long long at = begin_of(number) + wave;
        return number < all && at < begin_of(number + 1) ? at : tiles;
      }
      case recipe::sm_affine: {
        const long long drawn = wave * blocks + block;
        return (drawn / launch.run * multiprocessors + multiprocessor) * launch.run + drawn % launch.run;
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
    if (by.launch.schedule == recipe::sm_affine) {
      by_.launch.run = std::clamp(by.tiles, 1, by.launch.run);  // a longer one has the same tiles
      // The last turn has fewer runs, but these take as many waves as in any other turn.
      const long long turn = 1LL * by_.launch.run * by.multiprocessors, turns = (by.tiles + turn - 1) / turn;
      size_ = (turns * by_.launch.run + by.blocks - 1) / by.blocks;
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

}}}  // namespace heddle::HEDDLE_ABI::detail

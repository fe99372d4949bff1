#pragma once

// A replay by other means than those of the headers, and random input for it.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <list>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "by_table.hpp"

namespace heddle_test {

using namespace heddle;

constexpr long long endless = std::numeric_limits<long long>::max();

using key = std::tuple<int, int, int>;

/// The cache as a list of what it has, the last used first.
class naive_lru {
 public:
  explicit naive_lru(long long capacity) : capacity_(capacity) {}

  long long touch(key k, long long bytes) {
    const auto found = places_.find(k);
    if (found != places_.end()) {
      used_.splice(used_.begin(), used_, found->second);
      return 0;
    }
    used_.push_front({k, bytes});
    places_[k] = used_.begin();
    held_ += bytes;
    while (held_ > capacity_) {
      held_ -= used_.back().second;
      places_.erase(used_.back().first);
      used_.pop_back();
    }
    return bytes;
  }

 private:
  std::list<std::pair<key, long long>> used_;
  std::map<key, std::list<std::pair<key, long long>>::iterator> places_;
  long long capacity_, held_ = 0;
};

/// What the blocks of a wave read again because they are up to half a loop apart.
class naive_drift {
 public:
  void need(key stripe) { ++blocks_[stripe]; }
  void read(key stripe, long long bytes) { read_[stripe] += bytes; }

  long long again(long long of_wave, long long cache_bytes) const {
    const double stays = of_wave > 0 ? 2.0 * static_cast<double>(cache_bytes) / static_cast<double>(of_wave) : 1;
    long long sum = 0;
    for (const auto& [stripe, bytes] : read_) {
      double times = stays < 1 ? blocks_.at(stripe) - 1 : 0;
      for (int block = 0; block < blocks_.at(stripe); ++block) times *= 1 - stays;
      sum += static_cast<long long>(times * static_cast<double>(bytes));
    }
    return sum;
  }

 private:
  std::map<key, int> blocks_;
  std::map<key, long long> read_;
};

/// Returns the tiles of each wave: first the sequence of each block, then the turns that all blocks take together.
template <class Tile>
std::vector<std::vector<Tile>> naive_waves(const std::vector<Tile>& tiles, int blocks, recipe::schedule_kind schedule) {
  std::vector<std::vector<Tile>> taken(static_cast<unsigned>(blocks));
  const auto size = tiles.size();
  if (schedule == recipe::chunked) {
    std::size_t next = 0;
    for (std::size_t block = 0; block < taken.size(); ++block) {
      const std::size_t share = size / taken.size() + (block < size % taken.size() ? 1 : 0);
      for (std::size_t i = 0; i < share; ++i) taken[block].push_back(tiles[next++]);
    }
  } else {
    for (std::size_t i = 0; i < size; ++i) taken[i % taken.size()].push_back(tiles[i]);
  }
  std::vector<std::vector<Tile>> waves;
  for (std::size_t turn = 0; turn < taken[0].size(); ++turn) {
    waves.emplace_back();
    for (const auto& block : taken)
      if (turn < block.size()) waves.back().push_back(block[turn]);
  }
  return waves;
}

/// Random numbers from `low` to `high`, the same in every run.
struct dice {
  std::mt19937 generator{2024};
  int operator()(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator); }

  /// Returns a number of any size: small ones are as likely as large ones.
  int of_any_size(int least, int most) {
    const double times = std::exp(std::log(static_cast<double>(most) / least) * (*this)(0, 1000) / 1000);
    return std::clamp(static_cast<int>(least * times), least, most);
  }
};

/// Calls f with a random order of the grid, by its table.
template <class F>
void with_some_order(dice& roll, extent grid, const F& f) {
  by_table({.order = static_cast<recipe::order_kind>(roll(0, recipe::dilated)),
            .width = roll(1, 5),
            .axis = roll(0, 1) == 0 ? axis::x : axis::y,
            .step = {roll(1, 3), roll(1, 3)}},
           grid, f);
}

}  // namespace heddle_test

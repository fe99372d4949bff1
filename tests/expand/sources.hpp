#pragma once

// Distributions of n over the sources that are hard for strategies, and the host's sums of them.

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <heddle/expand/expansion.hpp>

namespace heddle_test {

/// The n of each source, and sums of them.
struct sources {
  std::string name;
  std::vector<unsigned> n;

  unsigned size() const { return static_cast<unsigned>(n.size()); }
  unsigned long long items() const { return std::accumulate(n.begin(), n.end(), 0ull); }
  unsigned spawning() const {
    return static_cast<unsigned>(std::count_if(n.begin(), n.end(), [](unsigned of) { return of > 0; }));
  }

  /// Returns the begin of each source's items, if they were in the order of the sources.
  std::vector<unsigned> begins() const {
    std::vector<unsigned> begin(n.size());
    std::exclusive_scan(n.begin(), n.end(), begin.begin(), 0u);
    return begin;
  }
};

template <class Draw>
sources drawn(const char* name, unsigned size, Draw draw) {
  sources all{name, std::vector<unsigned>(size)};
  for (unsigned i = 0; i < size; ++i) all.n[i] = draw(i);
  return all;
}

/// Returns every distribution, with large sizes if `fast`: no tool or interpreter looks at every access. No source
/// spawns more than `most`.
inline std::vector<sources> every_distribution(bool fast, unsigned most = ~0u) {
  std::mt19937 random(6);
  std::vector<sources> all;
  for (const unsigned size : fast ? std::vector{0u, 1u, 31u, 1000u, 70'001u} : std::vector{0u, 33u, 501u}) {
    all.push_back(drawn("constant 1", size, [](unsigned) { return 1u; }));
    all.push_back(drawn("ones in turns", size, [](unsigned i) { return i / 700 % 2 == 0 ? 1u : i * 7 % 4; }));
    all.push_back(drawn("ones, and few twos", size, [](unsigned i) { return i % 1500 == 77 ? 2u : 1u; }));
    all.push_back(drawn("none", size, [](unsigned) { return 0u; }));
    all.push_back(drawn("uniform to 32", size, [&](unsigned) { return static_cast<unsigned>(random() % 33); }));
    all.push_back(
        drawn("one of 100 spawns", size, [&](unsigned) { return random() % 100 == 0 ? 1 + random() % 9 : 0; }));
    all.push_back(drawn("one of 3000 spawns", size, [&](unsigned i) { return i % 3000 == 7 ? 1 + i % 40 : 0; }));
    all.push_back(drawn("power law", size, [&](unsigned) {
      return static_cast<unsigned>(std::min(fast ? 3000.0 : 300.0, 4294967296.0 / (random() + 1.0)));
    }));
    all.push_back(drawn("1 and 300", size, [](unsigned i) { return i % 2 == 0 ? 1u : i < 4000 ? 300u : 2u; }));
    all.push_back(drawn("one huge", size, [=](unsigned i) {
      return i != size / 2 ? i % 5 : fast ? 123'456u : 1'234u;
    }));
  }
  for (sources& each : all) {
    for (unsigned& n : each.n) n = std::min(n, most);
  }
  return all;
}

/// Returns the number of blocks that take `of_block` sources each.
inline unsigned blocks_of(unsigned size, unsigned of_block) {
  return (size + of_block - 1) / of_block;
}

/// Returns room for all sources in any strategy, if blocks of `threads` threads push them.
inline heddle::expansion room_for(const sources& all, unsigned threads) {
  const unsigned blocks = blocks_of(all.size(), threads), warps = (threads + 31) / 32;
  return {static_cast<unsigned long long>(blocks) * warps * 32, all.items()};
}

}  // namespace heddle_test

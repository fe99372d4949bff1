#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <heddle/predict/detail/lru.hpp>
#include <heddle/predict/problem.hpp>
#include <heddle/predict/traffic_report.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// A stripe of A or of B: its number among all of them, and its rows or columns. The last one may be thinner.
struct stripe {
  long long number;
  int thickness;
};

/// The stripes that one tile of a product reads.
struct two_stripes {
  stripe a, b;
};

/// Replays a matrix product, or several in one launch. The blocks of a wave go through k in lockstep: at each k-step,
/// every slice of a stripe that some block needs is touched once, those of A and then those of B, in the order in which
/// blocks name them.
///
/// `StripesOf` maps a tile to its two stripes.
template <class StripesOf>
class product_replay {
 public:
  /// Begins with an empty cache. There are so many stripes of A and of B in all.
  template <class Problem>
  product_replay(const Problem& problem, long long stripes_of_a, long long stripes_of_b, StripesOf stripes_of,
                 int tile_k, long long cache_bytes)
      : stripes_of_(std::move(stripes_of)),
        stripes_of_a_(stripes_of_a),
        stripes_(stripes_of_a + stripes_of_b),
        k_(problem.k),
        tile_k_(tile_k),
        element_bytes_(problem.element_bytes),
        output_bytes_(problem.output_bytes),
        steps_(tiles_along(problem.k, tile_k)),
        cache_(cache_bytes) {}

  template <class Tile>
  predict::wave_traffic operator()(const std::vector<Tile>& wave) {
    predict::wave_traffic bytes;
    tiles_ += static_cast<long long>(wave.size());
    for (const auto tile : wave) {
      const auto [a, b] = stripes_of_(tile);
      a_.need(a);
      b_.need(b);
      bytes.requested_bytes += (1LL * a.thickness + b.thickness) * k_ * element_bytes_;
      bytes.written_bytes += 1LL * a.thickness * b.thickness * output_bytes_;
    }
    for (int step = 0; step < steps_; ++step) {
      const long long first = step * stripes_;  // cell: a slice of a stripe
      const long long depth = 1LL * (std::min)(tile_k_, k_ - step * tile_k_) * element_bytes_;
      bytes.dram_bytes += touch(a_, first, depth) + touch(b_, first + stripes_of_a_, depth);
    }
    a_.end_wave();
    b_.end_wave();
    return bytes;
  }

  long long bytes_again() const { return cache_.bytes_again(); }
  /// Returns what it did, in the time that a full-screen pass takes to look up a word: some 20 ns.
  long long cells_read() const { return tiles_ + cache_.touches() / 2; }

 private:
  /// The stripes of one operand that a wave needs, each once.
  struct needed_stripes {
    void need(stripe one) {
      if (!seen[one.number]) all.push_back(one);
      seen[one.number] = true;
    }

    void end_wave() {
      for (const stripe one : all) seen[one.number] = false;
      all.clear();
    }

    std::vector<stripe> all;
    sparse<char> seen;
  };

  long long touch(const needed_stripes& stripes, long long first, long long depth) {
    long long read = 0;
    for (const auto& [number, thickness] : stripes.all) {
      read += cache_.touch(first + number, thickness * depth);
    }
    return read;
  }

  StripesOf stripes_of_;
  long long stripes_of_a_, stripes_;
  int k_, tile_k_, element_bytes_, output_bytes_;
  int steps_;
  long long tiles_ = 0;
  lru cache_;
  needed_stripes a_, b_;
};

/// Returns a stripe of an operand that has `size` rows or columns, cut into stripes of `tile`. Stripes of other
/// operands have the numbers up to `before`.
constexpr stripe stripe_at(int place, int size, int tile, long long before = 0) {
  return {before + place, (std::min)(tile, size - place * tile)};
}

}  // namespace heddle::inline HEDDLE_ABI::detail

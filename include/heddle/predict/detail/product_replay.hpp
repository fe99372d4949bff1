#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <heddle/coord.hpp>
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
/// `Stripes` has the numbers of both operands' stripes, `a` and `b`, and maps a `tile` to its two.
template <class Stripes>
class product_replay {
 public:
  /// Begins with an empty cache.
  template <class Problem>
  product_replay(const Problem& problem, Stripes stripes, int tile_k, long long cache_bytes)
      : stripes_(std::move(stripes)),
        k_(problem.k),
        tile_k_(tile_k),
        element_bytes_(problem.element_bytes),
        output_bytes_(problem.output_bytes),
        steps_((problem.k + (tile_k - 1LL)) / tile_k),
        cache_(cache_bytes) {}

  predict::wave_traffic operator()(const std::vector<typename Stripes::tile>& wave) {
    predict::wave_traffic bytes;
    tiles_ += static_cast<long long>(wave.size());
    for (const auto tile : wave) {
      const auto [a, b] = stripes_(tile);
      a_.need(a);
      b_.need(b);
      bytes.requested_bytes += (1LL * a.thickness + b.thickness) * k_ * element_bytes_;
      bytes.written_bytes += 1LL * a.thickness * b.thickness * output_bytes_;
    }
    for (int step = 0; step < steps_; ++step) {
      const long long first = step * (stripes_.a + stripes_.b);  // cell: a slice of a stripe
      const long long depth = 1LL * (std::min)(tile_k_, k_ - step * tile_k_) * element_bytes_;
      bytes.dram_bytes += touch(a_, first, depth) + touch(b_, first + stripes_.a, depth);
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

  Stripes stripes_;
  int k_, tile_k_, element_bytes_, output_bytes_;
  long long steps_, tiles_ = 0;
  lru cache_;
  needed_stripes a_, b_;
};

/// Returns a stripe of an operand that has `size` rows or columns, cut into stripes of `tile`. Stripes of other
/// operands have the numbers up to `before`.
constexpr stripe stripe_at(int place, int size, int tile, long long before = 0) {
  return {before + place, (std::min)(tile, size - place * tile)};
}

/// The stripes of one product.
template <class Problem>
struct gemm_stripes {
  using tile = coord;

  explicit gemm_stripes(const Problem& problem) : of(problem), a(problem.grid().rows), b(problem.grid().cols) {}

  two_stripes operator()(coord at) const {
    return {stripe_at(at.row, of.m, of.tile_m), stripe_at(at.col, of.n, of.tile_n)};
  }

  Problem of;
  long long a, b;
};

}  // namespace heddle::inline HEDDLE_ABI::detail

#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <heddle/coord.hpp>
#include <heddle/invalid_argument.hpp>
#include <heddle/predict/detail/lru.hpp>
#include <heddle/predict/wave_traffic.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Replays a matrix product. The blocks of a wave go through k in lockstep: at each k-step, every slice of a stripe
/// that some block needs is touched once, those of A and then those of B, in the order in which blocks name them.
///
/// A template, so that the header of `gemm_problem` can include this one.
template <class Problem>
class gemm_replay {
 public:
  gemm_replay(const Problem& problem, long long cache_bytes)
      : problem_(problem), grid_(problem.grid()), steps_(problem.k_steps()), cache_(cells(problem), cache_bytes) {}

  predict::wave_traffic operator()(const std::vector<coord>& wave) {
    predict::wave_traffic bytes;
    for (const coord tile : wave) {
      const long long height = a_.need(tile.row, problem_.m, problem_.tile_m);
      const long long width = b_.need(tile.col, problem_.n, problem_.tile_n);
      bytes.requested_bytes += (height + width) * problem_.k * problem_.element_bytes;
      bytes.written_bytes += height * width * problem_.output_bytes;
    }
    for (int step = 0; step < steps_; ++step) {
      const int first = step * (grid_.rows + grid_.cols);  // cell: a slice of a stripe
      const long long depth =
          1LL * (std::min)(problem_.tile_k, problem_.k - step * problem_.tile_k) * problem_.element_bytes;
      for (const auto& [stripe, height] : a_.needed) bytes.dram_bytes += cache_.touch(first + stripe, height * depth);
      for (const auto& [stripe, width] : b_.needed)
        bytes.dram_bytes += cache_.touch(first + grid_.rows + stripe, width * depth);
    }
    a_.end_wave();
    b_.end_wave();
    return bytes;
  }

  long long bytes_again() const { return cache_.bytes_again(); }

 private:
  /// The stripes of one operand that a wave needs, each once.
  struct stripes {
    explicit stripes(int count) : seen(static_cast<std::size_t>(count)) {}

    /// Adds a stripe and returns its thickness: the last one may be thinner.
    int need(int stripe, int size, int tile) {
      const int thickness = (std::min)(tile, size - stripe * tile);
      if (!seen[static_cast<std::size_t>(stripe)]) needed.push_back({stripe, thickness});
      seen[static_cast<std::size_t>(stripe)] = true;
      return thickness;
    }

    void end_wave() {
      for (const auto& [stripe, thickness] : needed) seen[static_cast<std::size_t>(stripe)] = false;
      needed.clear();
    }

    struct stripe_and_thickness {
      int stripe;
      long long thickness;
    };
    std::vector<stripe_and_thickness> needed;
    std::vector<char> seen;
  };

  static long long cells(const Problem& problem) {
    const extent grid = problem.grid();
    return require_at_most(0x7fffffff, "heddle::predict::gemm_problem: stripes x k-steps",
                           (1LL * grid.rows + grid.cols) * problem.k_steps());
  }

  Problem problem_;
  extent grid_;
  int steps_;
  lru cache_;
  stripes a_{grid_.rows}, b_{grid_.cols};
};

}  // namespace heddle::inline HEDDLE_ABI::detail

#pragma once

#include <algorithm>

#include <heddle/predict/detail/gemm_replay.hpp>
#include <heddle/predict/detail/gemm_rules.hpp>
#include <heddle/predict/detail/problem_size.hpp>
#include <heddle/predict/problem.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// C (m x n) = A (m x k) B (k x n), by blocks that each make one tile of C in steps of `tile_k`.
///
///   gemm_problem{.m = 8192, .n = 8192, .k = 8192, .tile_m = 128, .tile_n = 256}
///
/// A row of tiles reads one stripe of A, a column of tiles one stripe of B. `tile_m` and `tile_n` are
/// what one block fetches: with multicast, what one cluster does.
struct gemm_problem {
  int m, n, k;
  int tile_m = 128, tile_n = 128, tile_k = 64;
  int element_bytes = 2;             // of A and B
  int output_bytes = element_bytes;  // of an element of C

  /// Whether the rows of A and the columns of B begin where a line of L2 does; else a slice of them takes twice the
  /// requests. By default as if they lay one behind the other, contiguous along k.
  bool whole_lines = 1LL * k * element_bytes % 128 == 0;

  constexpr extent grid() const {
    check();
    return {detail::tiles_along(m, tile_m), detail::tiles_along(n, tile_n)};
  }

  constexpr int k_steps() const {
    check();
    return detail::tiles_along(k, tile_k);
  }

  /// A and B once: what any order must read.
  constexpr long long compulsory_bytes() const {
    check();
    return m > 0 && n > 0 ? (static_cast<long long>(m) + n) * k * element_bytes : 0;
  }

  /// Multiplications and additions.
  constexpr double operations() const { return 2.0 * m * n * k; }
  constexpr double matrix_operations() const { return operations() * element_bytes / 2; }

  /// Waves in lockstep along k.
  detail::gemm_replay<gemm_problem> replay(long long cache_bytes) const { return {*this, cache_bytes}; }

  /// k-steps merged until at most 64 are left. In 53 random products of whole tiles that never changed the choice, and
  /// the bytes by at most 0.4 %; in a ragged one, by 1.8 %.
  detail::gemm_replay<gemm_problem> coarse_replay(long long cache_bytes) const {
    gemm_problem merged = *this;
    merged.tile_k *= (std::max)(1, (k_steps() - 1) / 64 + 1);
    return merged.replay(cache_bytes);
  }

  /// The larger: tiles of a row share a stripe of A, tiles of a column one of B.
  constexpr overlap closest_overlap() const {
    const double a = grid().cols > 1 ? tile_m : 0, b = grid().rows > 1 ? tile_n : 0;
    const double both = 1.0 * tile_m + tile_n;
    return a >= b ? overlap{a / both, 1, axis::x} : overlap{b / both, 1, axis::y};
  }

  advice_rules rules(int blocks_per_multiprocessor) const {
    return detail::rules_of_gemm(*this, blocks_per_multiprocessor);
  }

  advice refined(const advice& found, const device&, int) const { return found; }

  constexpr void check() const {
    detail::require_at_least(0, "heddle::predict::gemm_problem: m", m);
    detail::require_at_least(0, "heddle::predict::gemm_problem: n", n);
    detail::require_at_least(0, "heddle::predict::gemm_problem: k", k);
    detail::require_at_least(1, "heddle::predict::gemm_problem: tile_m", tile_m);
    detail::require_at_least(1, "heddle::predict::gemm_problem: tile_n", tile_n);
    detail::require_at_least(1, "heddle::predict::gemm_problem: tile_k", tile_k);
    detail::require_at_least(1, "heddle::predict::gemm_problem: element_bytes", element_bytes);
    detail::require_at_most(64, "heddle::predict::gemm_problem: element_bytes", element_bytes);
    detail::require_at_least(0, "heddle::predict::gemm_problem: output_bytes", output_bytes);
    detail::require_at_most(64, "heddle::predict::gemm_problem: output_bytes", output_bytes);
    const double tiles = 1.0 * detail::tiles_along(m, tile_m) * detail::tiles_along(n, tile_n);
    detail::require_countable("heddle::predict::gemm_problem: exabytes requested",
                              tiles * (1.0 * tile_m + tile_n) * k * element_bytes);
    detail::require_countable("heddle::predict::gemm_problem: exabytes written", 1.0 * m * n * output_bytes);
  }
};

static_assert(problem<gemm_problem>);

}  // namespace heddle::inline HEDDLE_ABI::predict

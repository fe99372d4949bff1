#pragma once

#include <algorithm>

#include <heddle/predict/detail/fewer_steps.hpp>
#include <heddle/predict/detail/gemm_rules.hpp>
#include <heddle/predict/detail/problem_size.hpp>
#include <heddle/predict/detail/product_stripes.hpp>
#include <heddle/predict/problem.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// Describes a matrix product C (m x n) = A (m x k) B (k x n) in blocks that make one tile of C each, in steps of
/// `tile_k`.
///
/// All tiles of a row read the same stripe of A, all tiles of a column the same stripe of B:
///
///                  B: n
///                ┌──┬──┬──┐
///                │  │▒▒│  │  k
///         k      └──┴──┴──┘
///   A: ┌─────┐   ┌──┬──┬──┐
///    m │▒▒▒▒▒│   │  │██│  │  C: a tile and its two stripes
///      └─────┘   └──┴──┴──┘
///
/// **Preconditions**: extents are at least 0, tiles at least 1, and the bytes read and written fit in 64 bits;
/// `check()` refuses anything else.
/// **Example** (examples/01_order/which_order.cpp):
///
///     const gemm_problem product{.m = 8192, .n = 8192, .k = 8192, .tile_m = 128, .tile_n = 128};
struct gemm_problem {
  int m, n, k;                                  // extents of the product, in elements
  int tile_m = 128, tile_n = 128, tile_k = 64;  // what one block fetches, or one cluster if it loads by multicast
  int element_bytes = 2;                        // bytes of an element of A and B
  int output_bytes = element_bytes;             // bytes of an element of C

  /// Whether the rows of A and the columns of B begin at a line of L2. If not, each slice takes twice the requests. The
  /// default is right for matrices that are contiguous along k and packed.
  bool whole_lines = 1LL * k * element_bytes % 128 == 0;

  /// Multiplications and additions per second that the kernel reaches if nothing keeps it waiting: for a kernel that
  /// does not use the matrix unit, or at another rate than 2-byte elements have. 0: the rate of the device.
  double operations_per_second = 0;

  /// Returns the tiles of C.
  constexpr extent grid() const {
    check();
    return {detail::tiles_along(m, tile_m), detail::tiles_along(n, tile_n)};
  }

  /// Returns the number of steps along k.
  constexpr int k_steps() const {
    check();
    return detail::tiles_along(k, tile_k);
  }

  /// Returns the bytes of A and B: any order must read them once.
  constexpr long long compulsory_bytes() const {
    check();
    return m > 0 && n > 0 ? (static_cast<long long>(m) + n) * k * element_bytes : 0;
  }

  /// Returns the number of multiplications and additions.
  constexpr double operations() const { return 2.0 * m * n * k; }
  /// Returns the same in units of 2-byte elements, in which a device has its rate.
  constexpr double matrix_operations() const { return operations() * element_bytes / 2; }
  /// Returns the kernel's rate in the same unit, or 0 for that of the device.
  constexpr double matrix_operations_per_second() const { return operations_per_second * element_bytes / 2; }

  /// Returns a replay whose waves go in lockstep along k.
  auto replay(long long cache_bytes) const {
    return detail::product_replay(*this, detail::gemm_stripes{*this}, cache_bytes);
  }

  /// Returns a quicker replay, which merges k-steps until at most 64 are left. In 53 random products of whole tiles
  /// this never changed the choice, and the bytes by at most 0.4 %; in a ragged one, by 1.8 %.
  auto coarse_replay(long long cache_bytes) const {
    gemm_problem merged = *this;
    merged.tile_k = detail::merged_step(k, tile_k);
    return merged.replay(cache_bytes);
  }

  /// Returns the larger of two overlaps: neighbours in a row share a stripe of A, neighbours in a column one of B.
  constexpr overlap closest_overlap() const {
    const double a = grid().cols > 1 ? tile_m : 0, b = grid().rows > 1 ? tile_n : 0;
    const double both = 1.0 * tile_m + tile_n;
    return a >= b ? overlap{a / both, 1, axis::x} : overlap{b / both, 1, axis::y};
  }

  /// Returns what was measured of products (docs/gemm_study.md).
  advice_rules rules(const device& device, int blocks_per_multiprocessor) const {
    return detail::rules_of_gemm(*this, device, blocks_per_multiprocessor);
  }
  /// Returns the advice unchanged.
  advice refined(const advice& found, const device&, int) const { return found; }

  /// Refuses values that cannot be right with an `invalid_argument`, which names the value and the limit.
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
    detail::require_rate("heddle::predict::gemm_problem: operations_per_second", operations_per_second);
    const double tiles = 1.0 * detail::tiles_along(m, tile_m) * detail::tiles_along(n, tile_n);
    detail::require_countable("heddle::predict::gemm_problem: exabytes requested",
                              tiles * (1.0 * tile_m + tile_n) * k * element_bytes);
    detail::require_countable("heddle::predict::gemm_problem: exabytes written", 1.0 * m * n * output_bytes);
  }
};

static_assert(problem<gemm_problem>);

}  // namespace heddle::inline HEDDLE_ABI::predict

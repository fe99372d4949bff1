#pragma once

#include <algorithm>

#include <heddle/predict/detail/device_members.hpp>
#include <heddle/predict/detail/orders_over.hpp>
#include <heddle/predict/detail/product.hpp>
#include <heddle/predict/detail/product_rules.hpp>
#include <heddle/predict/problem.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

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
  static constexpr int usual_blocks = 1;  // per multiprocessor, unless `advise` is told

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

  /// The blocks that make a tile together: those of a cluster that loads by multicast. The device has a multiprocessor
  /// per cluster then. Clusters stay in step, and hide more of what one of them waits for.
  int blocks_per_tile = 1;

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
  /// Returns what a tile takes of the matrix unit: multiplications and additions, in 2-byte elements. A tile at an edge
  /// takes as much as any other, because the unit multiplies whole tiles.
  constexpr double cost(coord) const { return 1.0 * tile_m * tile_n * k * element_bytes; }
  /// Returns the kernel's rate in the same unit, or 0 for that of the device.
  constexpr double matrix_operations_per_second() const { return operations_per_second * element_bytes / 2; }

  /// Returns a replay whose waves go in lockstep along k, but for what blocks that are no cluster read as they drift
  /// apart.
  auto replay(long long cache_bytes) const {
    const auto stripes = [*this](coord at) {
      return detail::two_stripes{detail::stripe_at(at.row, m, tile_m), detail::stripe_at(at.col, n, tile_n)};
    };
    return detail::product_replay(*this, grid().rows, grid().cols, stripes, cache_bytes);
  }

  /// Returns a quicker replay, which merges k-steps until at most 64 are left. In 53 random products of whole tiles
  /// this never changed the choice, and the bytes by at most 0.4 %; in a ragged one, by 1.8 %.
  auto coarse_replay(long long cache_bytes) const {
    return detail::in_merged_steps(*this, &gemm_problem::tile_k, k).replay(cache_bytes);
  }

  /// Returns what was measured of products. The blocks of a multiprocessor do not go in step: the counters of an H200
  /// agree with waves of one block per multiprocessor, and not with waves of two (docs/inside/gemm_study.md).
  advice_rules rules(const device& device, int blocks_per_multiprocessor) const {
    const double own = matrix_operations_per_second(), rate = own > 0 ? own : device.matrix_operations_per_second;
    const double wait = detail::wait_of_step(*this, device);
    const bool in_step = blocks_per_multiprocessor == 1 && detail::keeps_step(*this, device);
    advice_rules rules{.blocks_go_in_step = false,
                       .error = 0.1,
                       .overlap = blocks_per_tile > 1 ? 1.0 : 0.0,
                       .beyond_one_wave = in_step               ? recipe::strided
                                          : blocks_per_tile > 1 ? recipe::ticket
                                                                : recipe::one_shot,
                       .matrix_operations_per_second = wait > 1 && rate > 0 ? (std::max)(1.0, rate / wait) : own};
    const recipe bands = detail::usual_bands(*this, device, rules.beyond_one_wave);
    if (bands.width == 0) return rules;
    rules.launches = detail::orders_over<extent>::usual(grid());
    rules.launches.insert(rules.launches.begin(), bands);
    rules.measured = detail::measured_of_bands(rules.launches.front(), *this, device);
    return rules;
  }

  /// Refuses values that cannot be right with an `invalid_argument`, which names the value and the limit.
  constexpr void check() const {
    detail::require_members("gemm_problem", {{"m", m}});
    detail::check_product("gemm_problem", *this);
    const double tiles = 1.0 * detail::tiles_along(m, tile_m) * detail::tiles_along(n, tile_n);
    detail::check_product_bytes("gemm_problem", *this, tiles, m);
  }
};

static_assert(problem<gemm_problem>);

}}}  // namespace heddle::HEDDLE_ABI::predict

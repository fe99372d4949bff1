#pragma once

#include <algorithm>

#include <heddle/predict/detail/device_members.hpp>
#include <heddle/predict/detail/orders_over.hpp>
#include <heddle/predict/detail/product_replay.hpp>
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

 private:
  auto in_steps(int step, long long cache_bytes) const {
    const auto stripes = [*this](coord at) {
      return detail::two_stripes{detail::stripe_at(at.row, m, tile_m), detail::stripe_at(at.col, n, tile_n)};
    };
    return detail::product_replay(*this, grid().rows, grid().cols, stripes, step, cache_bytes);
  }

 public:
  /// Returns a replay whose waves go in lockstep along k.
  auto replay(long long cache_bytes) const { return in_steps(tile_k, cache_bytes); }

  /// Returns a quicker replay, which merges k-steps until at most 64 are left. In 53 random products of whole tiles
  /// this never changed the choice, and the bytes by at most 0.4 %; in a ragged one, by 1.8 %.
  auto coarse_replay(long long cache_bytes) const { return in_steps(detail::merged_step(k, tile_k), cache_bytes); }

  /// Returns what was measured of products. The blocks of a multiprocessor do not go in step: the counters of an H200
  /// agree with waves of one block per multiprocessor, and not with waves of two (docs/gemm_study.md).
  inline advice_rules rules(const device& device, int blocks_per_multiprocessor) const;

  /// Refuses values that cannot be right with an `invalid_argument`, which names the value and the limit.
  constexpr void check() const {
    detail::require_members("gemm_problem", {{"m", m},
                                             {"n", n},
                                             {"k", k},
                                             {"tile_m", tile_m, 1},
                                             {"tile_n", tile_n, 1},
                                             {"tile_k", tile_k, 1},
                                             {"element_bytes", element_bytes, 1, 64},
                                             {"output_bytes", output_bytes, 0, 64}});
    detail::require_rate("heddle::predict::gemm_problem: operations_per_second", operations_per_second);
    const double tiles = 1.0 * detail::tiles_along(m, tile_m) * detail::tiles_along(n, tile_n);
    detail::require_countable("heddle::predict::gemm_problem: exabytes requested",
                              tiles * (1.0 * tile_m + tile_n) * k * element_bytes);
    detail::require_countable("heddle::predict::gemm_problem: exabytes written", 1.0 * m * n * output_bytes);
  }
};

}  // namespace heddle::inline HEDDLE_ABI::predict

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns whether a step waits for the matrix unit, and not for its requests: two per row and column if rows do not
/// begin at a line, each for 64 elements of k (of 2 bytes). On a card of which this is unknown, such a step waits for
/// its requests. A kernel at a rate of its own takes its time over arithmetic.
inline bool keeps_step(const predict::gemm_problem& problem, const predict::device& device) {
  const double rate = problem.matrix_operations_per_second(), of_card = device.matrix_operations_per_second;
  const double slower = rate > 0 && of_card > 0 ? of_card / rate : 1;
  const double operations = 2.0 * 64 * problem.tile_m * problem.tile_n * slower;
  const double requests = 2 * (1.0 * problem.tile_m + problem.tile_n), per_line = device.matrix_operations_per_line;
  return problem.whole_lines || (per_line > 0 && operations >= per_line * requests);
}

/// Returns the width of bands of the device's `band_rows` rows of C, or 0 if row_major is such a band on its side.
/// H200, 12 products in 5 kernels: as the only order bands of 1024 rows are 0.6 % slower than the best of the sweep on
/// average and 5 % at worst; the order with the fewest bytes is 1.3 % and 16 % slower (docs/gemm_study.md).
///
/// A last band of a row or two reads all of B once more. It is shared out among the other bands, which makes 4104 x
/// 16392 x 5128 1 to 2 % faster. Under `strided` bands of 8 stay faster, so the rows are not shared out.
inline int width_of_bands(const predict::gemm_problem& problem, const predict::device& device,
                          predict::schedule_kind schedule) {
  const extent grid = problem.grid();
  if (1LL * grid.cols * problem.tile_n <= device.band_rows) return 0;
  const int width = (std::max)(1, device.band_rows / problem.tile_m);
  if (schedule != predict::schedule_kind::one_shot || grid.rows <= width) return width;
  const int all = tiles_along(grid.rows, width), even = static_cast<int>((2LL * grid.rows + width) / (2 * width));
  // Each band reads all of B: one band less must be a tenth of what is read.
  return even < all && 10.0 * problem.n >= problem.m + 1.0 * problem.n * all ? tiles_along(grid.rows, even) : width;
}

}  // namespace heddle::inline HEDDLE_ABI::detail

namespace heddle::inline HEDDLE_ABI::predict {

advice_rules gemm_problem::rules(const device& device, int blocks_per_multiprocessor) const {
  const bool in_step = blocks_per_multiprocessor == 1 && detail::keeps_step(*this, device);
  advice_rules rules{.blocks_go_in_step = false,
                     .beyond_one_wave = in_step ? schedule_kind::strided : schedule_kind::one_shot,
                     .matrix_operations_per_second = matrix_operations_per_second()};
  const int width = detail::width_of_bands(*this, device, rules.beyond_one_wave);
  if (width == 0) return rules;
  rules.plain_is_last = true;
  rules.measured_faster = 1;
  rules.bytes_that_count = 0;
  rules.launches = detail::orders_over<extent>::usual(grid());
  rules.launches.insert(rules.launches.begin(), launch_choice{{order_kind::cta_swizzle, width, axis::y}});
  return rules;
}

static_assert(problem<gemm_problem>);

}  // namespace heddle::inline HEDDLE_ABI::predict

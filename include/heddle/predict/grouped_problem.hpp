#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include <heddle/order/grouped.hpp>
#include <heddle/predict/detail/device_members.hpp>
#include <heddle/predict/detail/product_rules.hpp>
#include <heddle/predict/gemm_problem.hpp>
#include <heddle/predict/group_tiles.hpp>
#include <heddle/predict/problem.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Describes a grouped product: the rows of group g times the k x n matrix B of that group, for all groups in one
/// launch. Give the rows that you expect: those of a typical launch.
///
/// **Preconditions**: extents are at least 0, tiles at least 1, all rows together at most 2^31 - 1, and so are all
/// tiles; `check()` refuses anything else.
/// **Example** (tests/predict/spaces.cpp):
///
///     const grouped_problem experts{.rows = {700, 0, 90, 2300, 128, 411}, .n = 2048, .k = 4096};
struct grouped_problem {
  static constexpr int usual_blocks = 1;                // per multiprocessor, unless `advise` is told
  std::vector<int> rows;                                // of each group
  int n, k;                                             // extents of B
  int tile_m = 128, tile_n = 128, tile_k = 64;          // what one block fetches
  int element_bytes = 2, output_bytes = element_bytes;  // bytes of an element of A and B; of C

  /// The rows that the matrix unit multiplies together: the last tile of a group takes as long as its rows, rounded up
  /// to these. Fewer than `tile_m` if the kernel has a lower body for the ends of groups.
  int step_rows = tile_m;
  double operations_per_second = 0;  // that the kernel reaches, as of a `gemm_problem`; 0: the rate of the device
  int blocks_per_tile = 1;           // more: a cluster, as of a `gemm_problem`

  /// Returns the tiles of all groups.
  group_tiles space() const {
    check();
    return {rows, tile_m, detail::tiles_along(n, tile_n)};
  }

  /// Returns the shape of an order of these groups.
  group_shape shape() const {
    return {all_rows(), static_cast<long long>(rows.size()), tile_m, detail::tiles_along(n, tile_n)};
  }

  /// Returns the row at which each group ends, counted over all groups: what a preparation of `grouped` reads.
  std::vector<int> ends() const {
    detail::require_int_at_least(0, "heddle::predict::grouped_problem: rows of all groups", all_rows());
    std::vector<int> result(rows.size());
    std::partial_sum(rows.begin(), rows.end(), result.begin());
    return result;
  }

  /// Returns the bytes of A, and of B of each group that has rows: any order must read them once.
  long long compulsory_bytes() const {
    check();
    const auto groups = static_cast<long long>(rows.size()) - std::count(rows.begin(), rows.end(), 0);
    return n > 0 ? (all_rows() + groups * n) * k * element_bytes : 0;
  }

  /// Returns what a tile takes of the matrix unit: multiplications and additions, in 2-byte elements.
  double cost(group_coord tile) const {
    const int here = (std::min)(tile_m, rows[static_cast<unsigned>(tile.group)] - tile.row * tile_m);
    return 1.0 * detail::tiles_along(here, step_rows) * step_rows * tile_n * k * element_bytes;
  }

 private:
  long long all_rows() const { return std::accumulate(rows.begin(), rows.end(), 0LL); }

  /// Returns one product of so many rows, in steps of `step`.
  gemm_problem in_one(int m, int step) const {
    gemm_problem one{m, n, k, tile_m, tile_n, step, element_bytes, output_bytes};
    one.operations_per_second = operations_per_second, one.blocks_per_tile = blocks_per_tile;
    return one;
  }

  /// Stripes of A have numbers by the rows before their group, so that no list of tiles is needed: a group has at most
  /// one more than its rows fill. Copies of a replay share where groups end.
  auto in_steps(int step, long long cache_bytes) const {
    const long long groups = static_cast<long long>(rows.size()), cols = detail::tiles_along(n, tile_n);
    const auto stripes = [ends = std::make_shared<const std::vector<int>>(ends()), tile_m = tile_m, n = n,
                          tile_n = tile_n, cols](group_coord at) {
      const int begin = at.group == 0 ? 0 : ends->data()[at.group - 1], size = ends->data()[at.group] - begin;
      return detail::two_stripes{detail::stripe_at(at.row, size, tile_m, begin / tile_m + 1LL * at.group),
                                 detail::stripe_at(at.col, n, tile_n, at.group * cols)};
    };
    return detail::product_replay(in_one(0, step), all_rows() / tile_m + groups + 1, groups * cols, stripes,
                                  cache_bytes);
  }

 public:
  /// Returns a replay whose waves go in lockstep along k.
  auto replay(long long cache_bytes) const { return in_steps(tile_k, cache_bytes); }

  /// Returns a quicker replay, which merges k-steps until at most 64 are left.
  auto coarse_replay(long long cache_bytes) const { return in_steps(detail::merged_step(k, tile_k), cache_bytes); }

  /// Returns bands of each group, those of 1024 rows (2048 in clusters) first, and the heaviest group first. Where
  /// bytes make no difference, bands of 1024 rows are up to 11 % faster than each group row by row (H200,
  /// docs/grouped.md).
  advice_rules rules(const device& device, int blocks_per_multiprocessor) const {
    check();
    const gemm_problem one = in_one(static_cast<int>(all_rows()), tile_k);
    advice_rules rules = one.rules(device, blocks_per_multiprocessor);
    const int usual = detail::width_of_bands(*this, device, tile_m), cols = detail::tiles_along(n, tile_n);
    const int most_rows = rows.empty() ? 0 : detail::tiles_along(*std::max_element(rows.begin(), rows.end()), tile_m);
    rules.plain = {recipe::thread_group_tiling, 1, axis::y};
    rules.launches = {{recipe::thread_group_tiling, usual, axis::y}};
    if (most_rows > 1) rules.measured = detail::measured_of_bands(rules.launches.front(), one, device);
    for (const axis along : {axis::y, axis::x}) {
      for (const int width : {4, 8, 16}) {
        if ((along == axis::y && width == usual) || width / 2 >= (along == axis::y ? most_rows : cols)) continue;
        rules.launches.push_back({recipe::thread_group_tiling, width, along});
      }
    }
    // The heaviest group first puts groups of few rows together, which wait for their B: it competes where DRAM idles
    // for half of the time. H200, 128 groups x 1536 x 2048, Zipf(1): 5 % slower than as numbered (docs/grouped.md). To
    // sort more groups than these would take longer than an advice may.
    const double moved = static_cast<double>(compulsory_bytes()) + 1.0 * output_bytes * n * one.m;
    const double matrix = one.operations() * element_bytes / 2, rate = rules.matrix_operations_per_second;
    const double seconds = matrix / (rate > 0 ? rate : device.matrix_operations_per_second);
    if (2 * moved <= seconds * device.dram_bytes_per_second && rows.size() <= 1 << 20) {
      rules.launches.push_back(rules.launches.front());
      rules.launches.back().sequence = group_sequence::heaviest_first;
    }
    return rules;
  }

  /// Refuses values that cannot be right with an `invalid_argument`, which names the value and the limit.
  void check() const {
    detail::check_product("grouped_problem", *this);
    const group_shape all = shape();
    const int least = std::reduce(rows.begin(), rows.end(), 0, [](int a, int b) { return (std::min)(a, b); });
    detail::require_members(
        "grouped_problem", {{"rows of a group", least}, {"rows of all groups", all.rows}, {"step_rows", step_rows, 1}});
    all.check();
    detail::check_product_bytes("grouped_problem", *this, 1.0 * all.most_row_tiles() * static_cast<double>(all.cols),
                                static_cast<double>(all.rows));
  }
};

static_assert(problem<grouped_problem>);

}}}  // namespace heddle::HEDDLE_ABI::predict

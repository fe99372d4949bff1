#pragma once

#include <heddle/order/batch.hpp>
#include <heddle/predict/detail/device_members.hpp>
#include <heddle/predict/gemm_problem.hpp>
#include <heddle/predict/problem.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Describes `count` matrix products of the same size in one launch. Consecutive planes may share A or B.
///
///   one B for all planes       planes_per_b = count        a layer that is applied to each of a batch
///   four heads share their B   planes_per_b = 4            queries times keys
///
/// **Preconditions**: those of `gemm_problem`; `count` is at least 0, planes that share are at least 1, and all tiles
/// together at most 2^31 - 1. `check()` refuses anything else.
/// **Example** (tests/predict/spaces.cpp):
///
///     const batched_problem layers{
///         .plane = {.m = 512, .n = 4096, .k = 4096}, .count = 64, .planes_per_a = 1, .planes_per_b = 64};
struct batched_problem {
  static constexpr int usual_blocks = 1;  // per multiprocessor, unless `advise` is told

  gemm_problem plane;    // each of the products, with the rate of the kernel
  int count;             // of the products
  int planes_per_a = 1;  // consecutive planes that read the same A
  int planes_per_b = 1;  // consecutive planes that read the same B

  /// Returns the tiles of all products.
  batch<extent> space() const {
    check();
    return {count, plane.grid()};
  }

  /// Returns the number of different matrices A.
  long long different_a() const {
    return detail::tiles_along(
        count, detail::require_at_least(1, "heddle::predict::batched_problem: planes_per_a", planes_per_a));
  }
  /// Returns the number of different matrices B.
  long long different_b() const {
    return detail::tiles_along(
        count, detail::require_at_least(1, "heddle::predict::batched_problem: planes_per_b", planes_per_b));
  }

  /// Returns the bytes of all A and B: any order must read them once.
  long long compulsory_bytes() const {
    check();
    if (plane.m == 0 || plane.n == 0) return 0;
    return (1LL * plane.m * different_a() + 1LL * plane.n * different_b()) * plane.k * plane.element_bytes;
  }

  /// Returns what a tile takes of the matrix unit: multiplications and additions, in 2-byte elements. A tile at an edge
  /// takes as much as any other, because the unit multiplies whole tiles.
  double cost(batch_coord tile) const { return plane.cost({tile.row, tile.col}); }

  /// Returns a replay whose waves go in lockstep along k.
  auto replay(long long cache_bytes) const {
    const extent grid = plane.grid();
    const auto stripes = [*this, grid](batch_coord at) {
      return detail::two_stripes{
          detail::stripe_at(at.row, plane.m, plane.tile_m, 1LL * (at.batch / planes_per_a) * grid.rows),
          detail::stripe_at(at.col, plane.n, plane.tile_n, 1LL * (at.batch / planes_per_b) * grid.cols)};
    };
    return detail::product_replay(plane, different_a() * grid.rows, different_b() * grid.cols, stripes, cache_bytes);
  }

  /// Returns a quicker replay, which merges k-steps until at most 64 are left.
  auto coarse_replay(long long cache_bytes) const {
    batched_problem merged = *this;
    merged.plane = detail::in_merged_steps(plane, &gemm_problem::tile_k, plane.k);
    return merged.replay(cache_bytes);
  }

  /// Returns the rules of one product, and its orders with planes in turn. Planes in turn share what tiles of one place
  /// read: no more are needed than fill the chip with tiles that share a stripe.
  advice_rules rules(const device& device, int blocks_per_multiprocessor) const {
    check();
    const extent grid = plane.grid();
    const long long blocks = 1LL * device.multiprocessors * blocks_per_multiprocessor;
    const auto useful = [&](int sharing, int stripes) {
      return sharing == 1 ? 1 : (std::min)({1LL * sharing, 1LL * count, blocks / (std::max)(1, stripes)});
    };
    advice_rules rules = plane.rules(device, blocks_per_multiprocessor);
    std::vector<recipe> orders{{}};
    if (grid.cols > 1 && grid.rows > 1) orders.push_back({recipe::column_major});
    if (!rules.launches.empty()) orders.push_back(rules.launches.front());  // bands of 1024 rows
    for (const axis along : {axis::y, axis::x}) {
      for (const int width : {16, 8, 4}) {
        if (width < (along == axis::y ? grid.rows : grid.cols)) orders.push_back({recipe::cta_swizzle, width, along});
      }
    }
    rules.launches = detail::orders_over<batch<extent>>::in_turn(
        orders, (std::max)(useful(planes_per_a, grid.cols), useful(planes_per_b, grid.rows)));
    return rules;
  }

  /// Refuses values that cannot be right with an `invalid_argument`, which names the value and the limit.
  void check() const {
    plane.check();
    const long long all = 1LL * plane.grid().size() * (std::max)(0, count);
    detail::require_members(
        "batched_problem",
        {{"count", count}, {"planes_per_a", planes_per_a, 1}, {"planes_per_b", planes_per_b, 1}, {"tiles", all}});
    detail::check_product_bytes("batched_problem", plane, static_cast<double>(all), 1.0 * plane.m * count);
  }
};

static_assert(problem<batched_problem>);

}}}  // namespace heddle::HEDDLE_ABI::predict

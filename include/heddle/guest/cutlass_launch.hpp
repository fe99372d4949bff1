#pragma once

#include <cutlass/gemm/kernel/tile_scheduler_params.h>
#include <optional>

#include <heddle/order/grouped.hpp>
#include <heddle/recipe/any_order.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace guest {

/// Returns the order that a launch without a recipe has, over a grid of clusters: bands of eight clusters in serpentine
/// along the longer side.
///
/// **Example** (tests/guests/plans.cu):
///
///     static_assert(usual_order({32, 64}) == recipe{.order = recipe::cta_swizzle, .width = 8, .axis = axis::y});
constexpr recipe usual_order(extent clusters) {
  return {.order = recipe::cta_swizzle, .width = 8, .axis = clusters.rows <= clusters.cols ? axis::y : axis::x};
}

/// Returns the bands of groups, whose shape is in clusters: eight rows of clusters, or whole rows where groups have
/// fewer columns than that. Then B stays in use, and rows are read once.
///
/// **Example** (bench/guests/grouped.cuh):
///
///     by(said.value_or(heddle::guest::usual_bands(shape_))),
constexpr recipe usual_bands(const group_shape& clusters) {
  return {.order = recipe::thread_group_tiling, .width = 8, .axis = clusters.cols < 8 ? axis::x : axis::y};
}

/// Holds what CUTLASS reads and writes of `arguments.scheduler`, and heddle does not.
struct cutlass_members {
  using raster_orders = cutlass::gemm::kernel::detail::RasterOrderOptions;  // CUTLASS's
  raster_orders raster_order{};                                             // is not read
  static constexpr int max_swizzle_size = 1;                                // a constant, which CUTLASS leaves alone
};

/// Holds what a launch of a kernel with one of heddle's tags follows, at run time: `arguments.scheduler`.
///
/// The recipe orders clusters, so that its widths and steps count them, and may interleave the planes of a batch. The
/// tag decides which cluster takes which tile: of the recipe's schedulers, `late_ticket` has `drawn` draw a tile when
/// the loads of the last one begin, and not a tile ahead.
///
/// **Preconditions**: `can_implement` refuses a scheduler that is neither `one_shot`, `strided`, `ticket` nor
/// `late_ticket`, clusters that are not the kernel's, an order whose table is missing, and numbers that cannot be
/// right; `refusal` says which. What depends on the problem, a `first` past the last tile or more than 2^31 - 1 tiles,
/// is refused with an `invalid_argument` where CUTLASS builds the parameters.
/// **Example** (bench/guests/cutlass.cu):
///
///     heddle::guest::cutlass_launch arguments{};
///     arguments.launch = by;
struct cutlass_launch : cutlass_members {
  std::optional<recipe> launch{};            // none: usual_order
  const tile_table::entry* table = nullptr;  // on the device, of the grid of clusters, for an order that is in none

  /// Returns why a kernel with these clusters cannot follow the arguments, or null.
  const char* refusal(extent cluster, bool draws) const {
    if (!launch) return nullptr;
    const recipe& by = *launch;
    if (by.schedule > recipe::late_ticket || by.schedule == recipe::chunked) {
      return "heddle::guest: a recipe says one_shot, strided, ticket or late_ticket, and the tag deals or draws";
    }
    if (by.schedule == recipe::late_ticket && !draws) return "heddle::guest: late_ticket needs the tag drawn";
    if (by.cluster != extent{1, 1} && by.cluster != cluster) {
      return "heddle::guest: the clusters of the recipe are not those of the kernel";
    }
    if (any_order<>::needs_table(by) && table == nullptr) return "heddle::guest: the order needs a table";
    if (by.has_axis() && by.width < 1) return "heddle::guest: the width of bands is below 1";
    if (by.interleave < 1) return "heddle::guest: interleave is below 1";
    if (by.first < 0) return "heddle::guest: the first tile is below 0";
    return nullptr;
  }
};

/// Holds the order of a grouped product with one of heddle's tags: `arguments.scheduler`.
///
/// Groups have rows of their own and `n` in common, and `k` may differ. The order is one of clusters: its `tile_rows`
/// and `cols` count those of a cluster, and its preparation has read the rows at which groups end.
///
/// **Preconditions**: `can_implement` refuses arguments without an order. One of other groups or another `n`, as far as
/// the host knows them, is refused with an `invalid_argument` where CUTLASS builds the parameters.
/// **Example** (tests/guests/grouped.cu):
///
///     heddle::guest::cutlass_groups arguments{};
///     arguments.order = by.order;
struct cutlass_groups : cutlass_members {
  std::optional<grouped> order{};  // of clusters

  /// Returns why a kernel cannot follow the arguments, or null.
  const char* refusal(extent, bool) const { return order ? nullptr : "heddle::guest: groups need an order"; }
};

}}}  // namespace heddle::HEDDLE_ABI::guest

#pragma once

#include <heddle/detail/bands.hpp>
#include <heddle/detail/check.hpp>
#include <heddle/order/detail/ptx.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Says how `in_bands` walks the blocks of a launch.
///
/// **Preconditions**: `width` is at least 1.
/// **Example** (tests/order/in_bands.cpp):
///
///     constexpr band_walk walk{.width = 2, .serpentine = true};
///     static_assert(walk.tile(/*rows*/ 3, /*cols*/ 4, /*i*/ 6) == coord{2, 2});  // the second band begins below
struct band_walk {
  int width;                            // of a band, in blocks: columns with axis::x, rows with axis::y
  heddle::axis axis = heddle::axis::x;  // across the bands
  bool serpentine = false;              // every other band runs backwards, as in cta_swizzle
  bool reversed = false;                // from the last tile to the first

  /// Returns the i-th tile of a grid: that of `thread_group_tiling{{rows, cols}, width, axis}`, of `cta_swizzle` if the
  /// walk is serpentine, or of `reversed` over either. In a grid of `rows` by `cols` clusters it returns the tile of a
  /// block in the i-th cluster, in bands that are still `width` blocks wide: the sides of `cluster` divide them.
  HEDDLE_FN coord tile(int rows, int cols, int i, coord cluster = {1, 1}, coord in_cluster = {0, 0}) const {
    const bool is_x = axis == heddle::axis::x;
    const int side = is_x ? cluster.col : cluster.row, number = reversed ? rows * cols - 1 - i : i;
    return placed(is_x ? rows : cols, (is_x ? cols : rows) * side,
                  number * side + (is_x ? in_cluster.col : in_cluster.row), cluster, in_cluster);
  }

  /// Returns the tile of a block by its number in the bands, which are `length` clusters long and `breadth` blocks wide
  /// together. The bands count the blocks of a line of clusters one by one.
  HEDDLE_FN coord placed(int length, int breadth, int number, coord cluster, coord in_cluster) const {
    auto place = detail::bands::divided(length, breadth, width, number);
    place = place.backwards_if(serpentine && (place.band & 1) != 0, length - 1);
    place.along = axis == heddle::axis::x ? place.along * cluster.row + in_cluster.row
                                          : place.along * cluster.col + in_cluster.col;
    return place.tile(axis);
  }
};

#if defined(__CUDACC__)

/// Returns the place of this block in bands of the launch's grid, to stand for CUDA's `blockIdx` in a kernel that is
/// launched with a block per tile. The launch and `gridDim` stay what they are, and so does `z`.
///
///   in_bands<2>(), a launch of <<<dim3(5, 3), …>>>      0 1 | 6  7 | 12      blocks as they start
///                                                       2 3 | 8  9 | 13
///                                                       4 5 | 10 11| 14
///
/// A launch in clusters, in code for sm_90 or newer, keeps each cluster together, in bands of whole clusters.
///
/// **Preconditions**: `width` is at least 1, gridDim.x times gridDim.y at most 2^31 - 1, and clusters, which are all of
/// one shape, divide a band; builds with checks report all but the shape. Functions that read CUDA's `blockIdx`
/// themselves, as cooperative groups do, do not see this one: pass it to them.
/// **Cost**: three divisions per block, and no kernel argument. The compiler knows the result to be uniform.
/// **Example** (examples/01_order/after.cu):
///
///     const auto blockIdx = heddle::in_bands<64>();
HEDDLE_DEVICE inline uint3 in_bands(band_walk by) {
  namespace ptx = detail::ptx;
  const coord blocks{static_cast<int>(gridDim.y), static_cast<int>(gridDim.x)};
  const coord block{static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x)};
  const coord cluster = ptx::cluster_nctaid(), grid = ptx::nclusterid_of_grid();
  const bool is_x = by.axis == axis::x;
  const int side = is_x ? cluster.col : cluster.row;
  detail::check(by.width >= 1, "heddle::in_bands: a width below 1");
  detail::check(0x7fffffff / gridDim.x >= gridDim.y,
                "heddle::in_bands: a grid of more than 2^31 - 1 blocks in a plane");
  detail::check(by.width % side == 0 || by.width >= (is_x ? blocks.col : blocks.row),
                "heddle::in_bands: clusters that do not divide a band");
  const auto [row, in_row] = detail::newton_division(block.row, cluster.row);
  const auto [col, in_col] = detail::newton_division(block.col, cluster.col);
  const int i = row * grid.col + col, in_turn = by.reversed ? grid.row * grid.col - 1 - i : i;
  // The number in `tile`; where it does not need the column of clusters, without it.
  const int number = is_x && !by.reversed ? row * blocks.col + block.col : in_turn * side + (is_x ? in_col : in_row);
  const coord tile =
      by.placed(is_x ? grid.row : grid.col, is_x ? blocks.col : blocks.row, number, cluster, {in_row, in_col});
  // Opaque, as in gpu::worker(): with the range of a block's number in sight the compiler computes addresses in a
  // slower way.
  return {ptx::kept(static_cast<unsigned>(tile.col)), ptx::kept(static_cast<unsigned>(tile.row)), blockIdx.z};
}

/// Returns the place of this block in bands of a run-time width.
HEDDLE_DEVICE inline uint3 in_bands(int width, axis axis = axis::x) {
  return in_bands(band_walk{width, axis});
}

/// Returns the place of this block in bands of a width that is a template argument.
template <int Width, axis Axis = axis::x>
HEDDLE_DEVICE uint3 in_bands() {
  static_assert(Width >= 1, "heddle::in_bands: a band has a width of at least 1");
  return in_bands(band_walk{Width, Axis});
}

#endif

}}  // namespace heddle::HEDDLE_ABI

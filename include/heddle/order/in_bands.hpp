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
  /// walk is serpentine, or of `reversed` over either.
  HEDDLE_FN coord tile(int rows, int cols, int i) const {
    const int length = axis == heddle::axis::x ? rows : cols, breadth = axis == heddle::axis::x ? cols : rows;
    const auto place = detail::bands::divided(static_cast<unsigned>(length), static_cast<unsigned>(breadth),
                                              static_cast<unsigned>(width),
                                              static_cast<unsigned>(reversed ? rows * cols - 1 - i : i));
    return place.backwards_if(serpentine && (place.band & 1) != 0, length - 1).tile(axis);
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
/// A launch in clusters keeps each cluster together, in bands of whole clusters.
///
/// **Preconditions**: `width` is at least 1, gridDim.x times gridDim.y at most 2^31 - 1, and clusters divide a band.
/// Builds with checks report all three. Functions that read CUDA's `blockIdx` themselves, as cooperative groups do, do
/// not see this one: pass it to them.
/// **Cost**: two divisions per block, and no kernel argument. The compiler knows the result to be uniform.
/// **Example** (examples/01_order/after.cu):
///
///     const auto blockIdx = heddle::in_bands<64>();
HEDDLE_DEVICE inline uint3 in_bands(band_walk by) {
  const unsigned cols = gridDim.x, rows = gridDim.y;
  detail::check(by.width >= 1, "heddle::in_bands: a width below 1");
  detail::check(0x7fffffff / cols >= rows, "heddle::in_bands: a grid of more than 2^31 - 1 blocks in a plane");
  const auto walk = [&](coord grid, coord at) { return by.tile(grid.row, grid.col, at.row * grid.col + at.col); };
  coord tile;
  if (detail::ptx::is_explicit_cluster()) {
    const coord cluster = detail::ptx::cluster_nctaid(), in_cluster = detail::ptx::cluster_ctaid();
    const int side = by.axis == axis::x ? cluster.col : cluster.row;
    detail::check(by.width % side == 0 || by.width >= static_cast<int>(by.axis == axis::x ? cols : rows),
                  "heddle::in_bands: clusters that do not divide a band");
    by.width = (by.width - 1) / side + 1;
    tile = walk(detail::ptx::nclusterid_of_grid(), detail::ptx::clusterid_of_grid());
    tile = {tile.row * cluster.row + in_cluster.row, tile.col * cluster.col + in_cluster.col};
  } else {
    tile = walk({static_cast<int>(rows), static_cast<int>(cols)},
                {static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x)});
  }
  // Opaque, as in gpu::worker(): with the range of a block's number in sight the compiler computes addresses in a slower
  // way.
  return {detail::ptx::kept(static_cast<unsigned>(tile.col)), detail::ptx::kept(static_cast<unsigned>(tile.row)),
          blockIdx.z};
}

/// Does the same in bands of a run-time width.
HEDDLE_DEVICE inline uint3 in_bands(int width, axis axis = axis::x) {
  return in_bands(band_walk{width, axis});
}

/// Does the same in bands of a width that the compiler knows: all bands but a narrower last one take one division.
template <int Width, axis Axis = axis::x>
HEDDLE_DEVICE uint3 in_bands() {
  static_assert(Width >= 1, "heddle::in_bands: a band has a width of at least 1");
  return in_bands(band_walk{Width, Axis});
}

#endif

}}  // namespace heddle::HEDDLE_ABI

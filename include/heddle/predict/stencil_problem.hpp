#pragma once

#include <algorithm>

#include <heddle/predict/detail/device_members.hpp>
#include <heddle/predict/detail/l1_replay.hpp>
#include <heddle/predict/detail/orders_over.hpp>
#include <heddle/predict/detail/stencil_replay.hpp>
#include <heddle/predict/problem.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace predict {

/// Describes a full-screen pass: each pixel reads the taps at step · [-radius … radius] in either direction, clamped at
/// the borders of the image, and is written once.
///
///   rows_radius 1, cols_radius 1, step 3      x . . x . . x
///                                             . . . . . . .
///   x: what the pixel in the middle reads     . . . . . . .
///                                             x . . x . . x
///                                             . . . . . . .
///                                             . . . . . . .
///                                             x . . x . . x
///
/// **Preconditions**: extents are at least 0, tiles, `step` and `bytes_per_pixel` at least 1; `check()` has all
/// limits but those of what a replay counts, which refuses them itself.
/// **Example** (examples/demo/advice.cpp):
///
///     const predict::stencil_problem pass{.rows = 8192,
///                                         .cols = 16384,
///                                         .tile_rows = 8,
///                                         .tile_cols = 16,
///                                         .bytes_per_pixel = 32,
///                                         .rows_radius = 2,
///                                         .cols_radius = 2,
///                                         .step = 64,
///                                         .written_bytes_per_pixel = 16,
///                                         .instructions_per_pixel = 736};
struct stencil_problem {
  int rows, cols;                        // of the image, in pixels
  int tile_rows = 16, tile_cols = 16;    // pixels of one block
  int bytes_per_pixel;                   // read, of all images together
  int rows_radius = 0, cols_radius = 0;  // taps on either side of a pixel, up and down, left and right
  int step = 1;                          // from one tap to the next, in pixels
  int written_bytes_per_pixel = 0;       // of all images together
  int requested_bytes_per_pixel = 0;     // loaded from L1 or shared memory by threads; 0: each tap is a load of its own
  int instructions_per_pixel = 0;        // of a thread; 0: unknown

  /// Returns the tiles of the image.
  constexpr extent grid() const {
    check();
    return {detail::tiles_along(rows, tile_rows), detail::tiles_along(cols, tile_cols)};
  }

  /// Returns the bytes that all threads load from L1.
  constexpr double requested_bytes() const {
    const double of_pixel = requested_bytes_per_pixel > 0
                                ? requested_bytes_per_pixel
                                : (2.0 * rows_radius + 1) * (2.0 * cols_radius + 1) * bytes_per_pixel;
    return 1.0 * rows * cols * of_pixel;
  }

  /// Returns the bytes of the images: any order must read them once.
  constexpr long long compulsory_bytes() const {
    check();
    return 1LL * rows * cols * bytes_per_pixel;
  }

  /// Returns 0: a stencil does not use the matrix unit.
  double cost(coord) const { return 0; }

  /// Returns a replay whose waves touch each pixel that a tap reads once, from the top of the image to its bottom.
  detail::stencil_replay<stencil_problem> replay(long long cache_bytes) const { return {*this, cache_bytes, false}; }

  /// Returns the replay that `advise` runs: that of `replay` for up to 2^22 tiles with up to 2^19 ranges of taps in
  /// either direction. In larger passes taps that leave gaps move by up to a twelfth of a step, so that they cut tiles
  /// into fewer cells. In passes too long for that, neighbouring tiles are replayed as one.
  detail::stencil_replay<stencil_problem> coarse_replay(long long cache_bytes) const {
    const double ranges = (std::max)(detail::tap_cells::ranges(rows, tile_rows, rows_radius, step),
                                     detail::tap_cells::ranges(cols, tile_cols, cols_radius, step));
    return {*this, cache_bytes, grid().size() > 1 << 22 || ranges > 1 << 19};
  }

  /// Returns the rules of a full-screen pass. Of bands that read about as much, wider ones are faster (H200): 64 tiles
  /// by 1 to 4 % over 4 to 32 tiles.
  advice_rules rules(const device& device, int blocks_per_multiprocessor) const {
    advice_rules rules{.error = 0.1, .instructions = 1.0 * rows * cols * instructions_per_pixel};
    rules.measured = [](const recipe& by) {
      const bool is_bands = by.order == recipe::thread_group_tiling || by.order == recipe::cta_swizzle;
      return is_bands && by.width < 64 && by.schedule != recipe::sm_affine ? 1.02 : 1;
    };
    // That each tap is a load of its own is known only of a kernel that is known.
    if (requested_bytes_per_pixel > 0 || instructions_per_pixel > 0) rules.l1_bytes = requested_bytes();
    detail::try_sm_affine(rules, *this, device, blocks_per_multiprocessor);
    for (const recipe& classes : detail::dilated_to_try(*this)) rules.launches.push_back(classes);
    for (const recipe& bands : detail::orders_over<extent>::usual(grid())) rules.launches.push_back(bands);
    return rules;
  }

  /// Refuses values that cannot be right with an `invalid_argument`, which names the value and the limit.
  constexpr void check() const {
    detail::require_members("stencil_problem", {{"rows", rows},
                                                {"cols", cols},
                                                {"tile_rows", tile_rows, 1},
                                                {"tile_cols", tile_cols, 1},
                                                {"bytes_per_pixel", bytes_per_pixel, 1, 1 << 16},
                                                {"rows_radius", rows_radius, 0, 1 << 12},
                                                {"cols_radius", cols_radius, 0, 1 << 12},
                                                {"step", step, 1},
                                                {"written_bytes_per_pixel", written_bytes_per_pixel, 0, 1 << 16},
                                                {"requested_bytes_per_pixel", requested_bytes_per_pixel},
                                                {"instructions_per_pixel", instructions_per_pixel}});
    const auto read = [](int pixels, int tile, int radius) {  // at most, by all tiles in one direction
      return 1.0 * detail::tiles_along(pixels, tile) * (std::min)(1.0 * pixels, (2.0 * radius + 1) * tile);
    };
    detail::require_countable(
        "stencil_problem", "requested",
        read(rows, tile_rows, rows_radius) * read(cols, tile_cols, cols_radius) * bytes_per_pixel);
    detail::require_countable("stencil_problem", "written", 1.0 * rows * cols * written_bytes_per_pixel);
  }
};

static_assert(problem<stencil_problem>);

}}}  // namespace heddle::HEDDLE_ABI::predict

#pragma once

#include <algorithm>

#include <heddle/predict/detail/affine_search.hpp>
#include <heddle/predict/detail/problem_size.hpp>
#include <heddle/predict/detail/stencil_replay.hpp>
#include <heddle/predict/detail/stencil_rules.hpp>
#include <heddle/predict/problem.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

/// A full-screen pass: every pixel reads taps at step · [-radius .. radius] in each direction, clamped
/// at the image's borders, and is written once.
///
///   an à-trous pass, 5 x 5 taps    {.rows = 8192, .cols = 16384, .bytes_per_pixel = 32,
///                                   .rows_radius = 2, .cols_radius = 2, .step = 64, .written_bytes_per_pixel = 16}
///   a vertical blur                {.rows = 8192, .cols = 65536, .bytes_per_pixel = 16,
///                                   .rows_radius = 32, .written_bytes_per_pixel = 16}
struct stencil_problem {
  int rows, cols;  // of the image, in pixels
  int tile_rows = 16, tile_cols = 16;
  int bytes_per_pixel;  // read: all images together
  int rows_radius = 0, cols_radius = 0;
  int step = 1;
  int written_bytes_per_pixel = 0;
  int requested_bytes_per_pixel = 0;  // of L1, by all that threads load; 0: each tap is a load of its own
  int instructions_per_pixel = 0;     // of a thread; 0: not known

  constexpr extent grid() const {
    check();
    return {detail::tiles_along(rows, tile_rows), detail::tiles_along(cols, tile_cols)};
  }

  /// All loads of all threads.
  constexpr double requested_bytes() const {
    const double of_pixel = requested_bytes_per_pixel > 0
                                ? requested_bytes_per_pixel
                                : (2.0 * rows_radius + 1) * (2.0 * cols_radius + 1) * bytes_per_pixel;
    return 1.0 * rows * cols * of_pixel;
  }

  /// The images once: what any order must read.
  constexpr long long compulsory_bytes() const {
    check();
    return 1LL * rows * cols * bytes_per_pixel;
  }

  double matrix_operations() const { return 0; }

  /// Waves that touch what their taps read once, from the image's top to its bottom.
  detail::stencil_replay<stencil_problem> replay(long long cache_bytes) const { return {*this, cache_bytes}; }

  /// No coarser: every wave is replayed.
  detail::stencil_replay<stencil_problem> coarse_replay(long long cache_bytes) const { return replay(cache_bytes); }

  /// The largest with a tile beside it, or one step away: an à-trous pass shares nothing with the former.
  overlap closest_overlap() const { return detail::overlap_of_taps(*this); }

  advice_rules rules(int) const { return detail::rules_of_stencil(*this); }

  /// By sm_affine where blocks wait for L2.
  advice refined(const advice& found, const device& device, int blocks_per_multiprocessor) const {
    return detail::with_l1(found, *this, device, blocks_per_multiprocessor);
  }

  constexpr void check() const {
    detail::require_at_least(0, "heddle::predict::stencil_problem: rows", rows);
    detail::require_at_least(0, "heddle::predict::stencil_problem: cols", cols);
    detail::require_at_least(1, "heddle::predict::stencil_problem: tile_rows", tile_rows);
    detail::require_at_least(1, "heddle::predict::stencil_problem: tile_cols", tile_cols);
    detail::require_at_least(1, "heddle::predict::stencil_problem: bytes_per_pixel", bytes_per_pixel);
    detail::require_at_most(1 << 16, "heddle::predict::stencil_problem: bytes_per_pixel", bytes_per_pixel);
    detail::require_at_least(0, "heddle::predict::stencil_problem: rows_radius", rows_radius);
    detail::require_at_most(1 << 12, "heddle::predict::stencil_problem: rows_radius", rows_radius);
    detail::require_at_least(0, "heddle::predict::stencil_problem: cols_radius", cols_radius);
    detail::require_at_most(1 << 12, "heddle::predict::stencil_problem: cols_radius", cols_radius);
    detail::require_at_least(1, "heddle::predict::stencil_problem: step", step);
    detail::require_at_least(0, "heddle::predict::stencil_problem: written_bytes_per_pixel", written_bytes_per_pixel);
    detail::require_at_most(1 << 16, "heddle::predict::stencil_problem: written_bytes_per_pixel",
                            written_bytes_per_pixel);
    detail::require_at_least(0, "heddle::predict::stencil_problem: requested_bytes_per_pixel",
                             requested_bytes_per_pixel);
    detail::require_at_least(0, "heddle::predict::stencil_problem: instructions_per_pixel", instructions_per_pixel);
    const auto read = [](int pixels, int tile, int radius) {  // at most, by all tiles in one direction
      return 1.0 * detail::tiles_along(pixels, tile) * (std::min)(1.0 * pixels, (2.0 * radius + 1) * tile);
    };
    detail::require_countable(
        "heddle::predict::stencil_problem: exabytes requested",
        read(rows, tile_rows, rows_radius) * read(cols, tile_cols, cols_radius) * bytes_per_pixel);
    detail::require_countable("heddle::predict::stencil_problem: exabytes written",
                              1.0 * rows * cols * written_bytes_per_pixel);
  }
};

static_assert(problem<stencil_problem>);

}  // namespace heddle::inline HEDDLE_ABI::predict

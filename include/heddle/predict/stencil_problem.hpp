#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <heddle/predict/detail/device_members.hpp>
#include <heddle/predict/detail/l1_replay.hpp>
#include <heddle/predict/detail/orders_over.hpp>
#include <heddle/predict/detail/stencil_replay.hpp>
#include <heddle/predict/problem.hpp>

namespace heddle::inline HEDDLE_ABI::predict {

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
/// **Preconditions**: extents are at least 0, tiles, `step` and `bytes_per_pixel` at least 1; `check()` has all limits.
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

  /// Returns the same replay for up to 2^22 tiles with up to 2^19 ranges of taps in either direction. Of others, taps
  /// that leave gaps move by up to a twelfth of a step, so that they cut tiles into fewer cells. Passes that cannot be
  /// replayed whole take tiles together.
  detail::stencil_replay<stencil_problem> coarse_replay(long long cache_bytes) const {
    const double ranges = (std::max)(detail::tap_cells::ranges(rows, tile_rows, rows_radius, step),
                                     detail::tap_cells::ranges(cols, tile_cols, cols_radius, step));
    return {*this, cache_bytes, grid().size() > 1 << 22 || ranges > 1 << 19};
  }

  /// Returns the rules of a full-screen pass. H200: bands save 14 % of the bytes of a dense denoiser level and take 1.3
  /// % longer; at twice the step they save a quarter and are 1 % faster. Of bands that read about as much, wider ones
  /// are faster: 64 tiles by 1 to 4 % over 4 to 32 tiles.
  inline advice_rules rules(const device& device, int blocks_per_multiprocessor) const;

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

}  // namespace heddle::inline HEDDLE_ABI::predict

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns residue classes of tiles a step apart; nothing if a step is no whole number of tiles.
inline std::vector<predict::launch_choice> dilated_to_try(const predict::stencil_problem& problem) {
  const int rows = problem.rows_radius > 0 ? problem.step : problem.tile_rows;
  const int cols = problem.cols_radius > 0 ? problem.step : problem.tile_cols;
  if (rows % problem.tile_rows != 0 || cols % problem.tile_cols != 0) return {};
  // A step beyond the grid puts every tile in a class of its own, and so does a step of the grid's size.
  const extent grid = problem.grid();
  const extent step{(std::min)(rows / problem.tile_rows, (std::max)(1, grid.rows)),
                    (std::min)(cols / problem.tile_cols, (std::max)(1, grid.cols))};
  if (step == extent{1, 1}) return {};
  std::vector<predict::launch_choice> choices;
  for (const int width : {64, 16, 4}) choices.push_back({{predict::order_kind::dilated, width, axis::x, step}});
  return choices;
}

/// Returns sm_affine over strips two tiles wide of the tiles that share most, which are neighbours or a step apart.
/// Returns nothing if a step is wider than a tile and no whole number of tiles. H200: other widths gain up to 4 % or
/// lose much. Longer runs gain up to 11 %, and lose up to 20 % where a multiprocessor has few: H200 and H100.
inline std::optional<predict::launch_choice> affine_to_try(const predict::stencil_problem& problem,
                                                           const predict::device& device) {
  const extent grid = problem.grid();
  const auto in_tiles = [&](int tile, int radius, int tiles) {
    if (radius == 0 || problem.step <= tile) return 1;
    return problem.step % tile == 0 ? (std::min)(problem.step / tile, (std::max)(1, tiles)) : 0;
  };
  const extent apart{in_tiles(problem.tile_rows, problem.rows_radius, grid.rows),
                     in_tiles(problem.tile_cols, problem.cols_radius, grid.cols)};
  if (apart.rows == 0 || apart.cols == 0) return {};
  constexpr int width = 2;
  const bool are_neighbours = apart == extent{1, 1};
  const int runs_of_a_line = grid.size() / device.multiprocessors / width;  // per multiprocessor
  const int lines = runs_of_a_line >= 15 * 128 ? 128 : runs_of_a_line >= (are_neighbours ? 20 : 40) * 32 ? 32 : 8;
  predict::launch_choice near{{predict::order_kind::thread_group_tiling, width}};
  if (!are_neighbours) near = {{predict::order_kind::dilated, width, axis::x, apart}};
  near.schedule = predict::schedule_kind::sm_affine;
  near.run = lines * width;
  return near;
}

}  // namespace heddle::inline HEDDLE_ABI::detail

namespace heddle::inline HEDDLE_ABI::predict {

advice_rules stencil_problem::rules(const device& device, int blocks) const {
  const double pixels = 1.0 * rows * cols;
  advice_rules rules{.launches = detail::orders_over<extent>::usual(grid()),
                     .plain_is_last = true,
                     .tolerance = 0.03,
                     .least_gain = 0.15,
                     .bytes_that_count = 1 + compulsory_bytes() / 25,
                     .instructions = pixels * instructions_per_pixel};
  // That each tap is a load of its own is known only of a kernel that is known.
  const bool knows_loads = requested_bytes_per_pixel > 0 || instructions_per_pixel > 0;
  if (knows_loads) rules.l1_bytes = requested_bytes();
  for (const auto& classes : detail::dilated_to_try(*this)) rules.launches.push_back(classes);
  const bool knows_rates = device.l1_bytes > 0 && device.l1_bytes_per_second > 0 && device.l2_bytes_per_second > 0 &&
                           device.dram_bytes_per_second > 0;
  const std::optional<launch_choice> near = detail::affine_to_try(*this, device);
  const bool is_one_wave = grid().size() <= 1LL * device.multiprocessors * blocks;
  if (!knows_rates || !near || is_one_wave || detail::pieces_in_l1(*this) > 2e6)
    return rules;  // the last takes too long
  rules.launches.push_back(*near);
  // The threads of a block wait while it draws: the fewer blocks there are, the more threads wait and the fewer other
  // blocks go on.
  rules.drawing_instructions = pixels * device.drawing_instructions / (1.0 * blocks * blocks);
  // Arithmetic hides most of a gain unless L1 is known to be busier.
  const bool l1_is_busier =
      rules.instructions > 0 &&
      rules.l1_bytes / device.l1_bytes_per_second * device.instructions_per_second > rules.instructions;
  rules.least_affine_gain = l1_is_busier ? 0.025 : 0.12;
  rules.l2_bytes = [pass = *this, device, blocks](const launch_choice& by) {
    const auto order = detail::orders_over<extent>::at(by, pass.grid());
    return static_cast<double>(detail::l1_bytes(order, pass, device, blocks, by).l2_bytes);
  };
  return rules;
}

static_assert(problem<stencil_problem>);

}  // namespace heddle::inline HEDDLE_ABI::predict

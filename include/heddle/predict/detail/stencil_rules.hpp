#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <heddle/predict/advice_rules.hpp>
#include <heddle/predict/detail/l1_replay.hpp>
#include <heddle/predict/detail/orders_over.hpp>
#include <heddle/predict/device.hpp>

// What was measured of a `stencil_problem`. All are templates, so that the header of `stencil_problem` can include this
// one.

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns residue classes of tiles a step apart; nothing if a step is no whole number of tiles.
template <class Problem>
std::vector<predict::launch_choice> dilated_to_try(const Problem& problem) {
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
template <class Problem>
std::optional<predict::launch_choice> affine_to_try(const Problem& problem, const predict::device& device) {
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

/// Returns the rules of a full-screen pass. H200: bands save 14 % of the bytes of a dense denoiser level and take 1.3 %
/// longer; at twice the step they save a quarter and are 1 % faster. Of bands that read about as much, wider ones are
/// faster: 64 tiles by 1 to 4 % over 4 to 32 tiles.
template <class Problem>
predict::advice_rules rules_of_stencil(const Problem& problem, const predict::device& device, int blocks) {
  const double pixels = 1.0 * problem.rows * problem.cols;
  predict::advice_rules rules{.launches = orders_over<extent>::usual(problem.grid()),
                              .plain_is_last = true,
                              .tolerance = 0.03,
                              .least_gain = 0.15,
                              .bytes_that_count = 1 + problem.compulsory_bytes() / 25,
                              .instructions = pixels * problem.instructions_per_pixel};
  // That each tap is a load of its own is known only of a kernel that is known.
  const bool knows_loads = problem.requested_bytes_per_pixel > 0 || problem.instructions_per_pixel > 0;
  if (knows_loads) rules.l1_bytes = problem.requested_bytes();
  for (const auto& classes : dilated_to_try(problem)) rules.launches.push_back(classes);
  const bool knows_rates = device.l1_bytes > 0 && device.l1_bytes_per_second > 0 && device.l2_bytes_per_second > 0 &&
                           device.dram_bytes_per_second > 0;
  const std::optional<predict::launch_choice> near = affine_to_try(problem, device);
  const bool is_one_wave = problem.grid().size() <= 1LL * device.multiprocessors * blocks;
  if (!knows_rates || !near || is_one_wave || pieces_in_l1(problem) > 2e6) return rules;  // the last takes too long
  rules.launches.push_back(*near);
  // The threads of a block wait while it draws: the fewer blocks there are, the more threads wait and the fewer other
  // blocks go on.
  rules.drawing_instructions = pixels * device.drawing_instructions / (1.0 * blocks * blocks);
  // Arithmetic hides most of a gain unless L1 is known to be busier.
  const bool l1_is_busier =
      rules.instructions > 0 &&
      rules.l1_bytes / device.l1_bytes_per_second * device.instructions_per_second > rules.instructions;
  rules.least_affine_gain = l1_is_busier ? 0.025 : 0.12;
  rules.l2_bytes = [=](const predict::launch_choice& by) {
    const auto order = orders_over<extent>::at(by, problem.grid());
    return static_cast<double>(l1_bytes(order, problem, device, blocks, by).l2_bytes);
  };
  return rules;
}

}  // namespace heddle::inline HEDDLE_ABI::detail

#pragma once

#include <algorithm>
#include <optional>

#include <heddle/predict/advice.hpp>
#include <heddle/predict/detail/byte_units.hpp>
#include <heddle/predict/detail/l1_replay.hpp>
#include <heddle/predict/detail/order_search.hpp>
#include <heddle/predict/detail/tap_cells.hpp>
#include <heddle/predict/detail/time_of_both.hpp>
#include <heddle/predict/device.hpp>

// What `advise` does for a `stencil_problem` about L1. All are templates, so that the header of `stencil_problem` can
// include this one.

namespace heddle::inline HEDDLE_ABI::detail {

/// Returns the time of a pass in seconds, from the times that each unit would need alone. The better two units overlap,
/// the closer is their sum to the larger. H200, the passes of examples/convolution: L1 serves threads and takes what
/// comes from L2 by the same ports, so that these two overlap little; both overlap well with arithmetic and with DRAM.
template <class Problem>
double time_of_pass(const Problem& problem, const predict::device& device, double dram_bytes, double l2_bytes,
                    double instructions_of_pixel) {
  const double pixels = 1.0 * problem.rows * problem.cols, written = pixels * problem.written_bytes_per_pixel;
  const double l1 = problem.requested_bytes() / device.l1_bytes_per_second;
  const double l2 = (l2_bytes + written) / device.l2_bytes_per_second;
  const double dram = (dram_bytes + written) / device.dram_bytes_per_second;
  const double issue =
      device.instructions_per_second > 0 ? pixels * instructions_of_pixel / device.instructions_per_second : 0;
  const double memory = time_of_both(l1, l2, device.overlap_of_l1_and_l2), all = device.overlap_of_units;
  return time_of_both(time_of_both(memory, issue, all), dram, all);
}

/// An order for sm_affine, and the tiles of a run.
struct affine_choice {
  predict::order_choice order;
  int run;
};

/// Returns strips two tiles wide of the tiles that share most, which are neighbours or a step apart. Returns nothing if
/// a step is wider than a tile and no whole number of tiles. H200: other widths gain up to 4 % or lose much. Longer
/// runs gain up to 11 %, and lose up to 20 % where a multiprocessor has few: H200 and H100.
template <class Problem>
std::optional<affine_choice> affine_to_try(const Problem& problem, const predict::device& device) {
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
  if (are_neighbours) return affine_choice{{predict::order_kind::thread_group_tiling, width}, lines * width};
  return affine_choice{{predict::order_kind::dilated, width, axis::x, apart}, lines * width};
}

/// Returns sm_affine over tiles that share what they read if this saves time by way of L1; else the advice, which is
/// best for DRAM.
template <class Problem>
predict::advice with_l1(predict::advice advice, const Problem& problem, const predict::device& device, int blocks) {
  if (!(device.l1_bytes > 0 && device.l1_bytes_per_second > 0 && device.l2_bytes_per_second > 0 &&
        device.dram_bytes_per_second > 0)) {
    return advice;
  }
  const std::optional<affine_choice> near = affine_to_try(problem, device);
  if (!near || problem.grid().size() <= 1LL * device.multiprocessors * blocks) return advice;
  if (pieces_in_l1(problem) > 1e7) return advice;  // longer to replay than an advice may take
  const predict::schedule_choice by{predict::schedule_kind::sm_affine, near->run};

  const auto l2_bytes = [&](const predict::order_choice& order, predict::schedule_choice schedule) {
    return static_cast<double>(predict::with_order(order, problem.grid(), [&](const auto& tiles) {
      return l1_bytes(tiles, problem, device, blocks, schedule).l2_bytes;
    }));
  };
  const double pixels = 1.0 * problem.rows * problem.cols, written = pixels * problem.written_bytes_per_pixel;
  // Without sm_affine it is chance which blocks share a multiprocessor: no order alone is credited with L1 hits.
  const double l2_now = l2_bytes({}, {}), l2_near = l2_bytes(near->order, by);
  const double now = time_of_pass(problem, device, static_cast<double>(advice.predicted_bytes) - written, l2_now,
                                  problem.instructions_per_pixel);
  // Drawing a tile, in instructions per pixel. The threads of a block wait while it draws: the fewer blocks there are,
  // the more threads wait and the fewer other blocks go on.
  const double drawing = device.drawing_instructions / (1.0 * blocks * blocks);
  // A predicted gain that does not come is worse than one that is missed. Arithmetic hides most of it unless L1 is
  // known to be busier.
  const bool l1_is_busier = problem.instructions_per_pixel > 0 &&
                            problem.requested_bytes() / device.l1_bytes_per_second * device.instructions_per_second >
                                pixels * problem.instructions_per_pixel;
  const double certain = l1_is_busier ? 0.975 : 0.88;
  const auto is_gain = [&](long long dram_bytes) {
    return time_of_pass(problem, device, static_cast<double>(dram_bytes), l2_near,
                        problem.instructions_per_pixel + drawing) < certain * now;
  };
  if (!is_gain(problem.compulsory_bytes())) return advice;
  const sampled_traffic sampled = traffic_of_order(near->order, problem, replay_size_of(problem, device, blocks), by);
  const predict::wave_traffic& moved = sampled.total;
  if (!is_gain(moved.dram_bytes)) return advice;
  static_cast<predict::order_choice&>(advice) = near->order;
  advice.schedule = by.kind;
  advice.run = by.run;
  advice.matters = true;
  advice.predicted_bytes = moved.dram_bytes + moved.written_bytes;
  advice.bytes_error = (std::max)(advice.bytes_error, sampled.relative_error());
  advice.reason = to_string(advice) + ": the blocks of a multiprocessor share what they read in L1, which reads " +
                  bytes_text(l2_near, l2_now) + " from L2 instead of row_major's " + bytes_text(l2_now, l2_near);
  return advice;
}

}  // namespace heddle::inline HEDDLE_ABI::detail

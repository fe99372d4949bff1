#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <heddle/coord.hpp>
#include <heddle/predict/advice.hpp>
#include <heddle/predict/detail/line_lru.hpp>
#include <heddle/predict/detail/tap_cells.hpp>
#include <heddle/predict/detail/tapped_lines.hpp>
#include <heddle/predict/device.hpp>
#include <heddle/predict/traffic_report.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Replays a full-screen pass: each wave touches the cells that its taps read once, from the image's top to its bottom.
///
/// The footprint of a tile is a product of rows and columns. The footprint of a wave is found by words of a bit map:
/// first the columns of each row of tiles, then for every row of the image those of all rows of tiles that reach it.
///
/// A template, so that the header of `stencil_problem` can include this one.
template <class Problem>
class stencil_replay {
 public:
  /// Begins with an empty cache. A coarse replay moves taps that leave gaps by up to a twelfth of a step, so that they
  /// cut tiles into fewer cells. If it would take long nevertheless, it replays neighbouring tiles as one.
  stencil_replay(const Problem& problem, long long cache_bytes, bool is_coarse)
      : is_turned_(problem.grid().cols == 1),
        problem_(is_turned_ ? turned(problem) : problem),
        rows_(cells_of(problem_.rows, problem_.tile_rows, problem_.rows_radius, is_coarse, together_.rows)),
        cols_(cells_of(problem_.cols, problem_.tile_cols, problem_.cols_radius, is_coarse, together_.cols)),
        lines_(cols_->size()),
        cache_(cache_bytes, cols_->size()) {}

  predict::wave_traffic operator()(const std::vector<coord>& wave) {
    predict::wave_traffic bytes;
    tiles_ += static_cast<long long>(wave.size());
    const auto tile = [&](std::size_t i) { return is_turned_ ? coord{wave[i].col, wave[i].row} : wave[i]; };
    for (std::size_t i = 0; i < wave.size();) {
      const coord first = tile(i);
      std::size_t last = i;  // tiles side by side go together
      while (last + 1 < wave.size() && tile(last + 1) == coord{first.row, tile(last).col + 1}) ++last;
      const int row = first.row / together_.rows;
      const int first_col = first.col / together_.cols, last_col = tile(last).col / together_.cols;
      for (int tap = 0; tap < cols_->taps(); ++tap)
        lines_.add(row, cols_->cells_of(first_col, tap).begin, cols_->cells_of(last_col, tap).end);
      for (; i <= last; ++i) {
        const int col = tile(i).col;
        bytes.requested_bytes += 1LL * rows_->pixels_touched(row) * cols_->pixels_touched(col / together_.cols);
        bytes.written_bytes += 1LL * (std::min)(problem_.tile_rows, problem_.rows - first.row * problem_.tile_rows) *
                               (std::min)(problem_.tile_cols, problem_.cols - col * problem_.tile_cols);
      }
    }
    bytes.requested_bytes = bytes.requested_bytes / together_.size() * problem_.bytes_per_pixel;
    bytes.written_bytes *= problem_.written_bytes_per_pixel;

    const auto bytes_of = [&](int row, int word, std::uint64_t bits) {
      return 1LL * rows_->pixels(row) * problem_.bytes_per_pixel * cols_->pixels(word * 64, bits);
    };
    lines_.sweep(*rows_, [&](int row, int word, std::uint64_t bits) {
      touches_ += 1 + std::popcount(bits & ~(bits << 1)) / 2;  // cells side by side are quickly counted
      bytes.dram_bytes += cache_.touch(row, word, bits, bytes_of);
    });
    return bytes;
  }

  long long bytes_again() const { return cache_.bytes_again(); }
  /// Returns the work done so far, in units of the time of a look-up of a word, some 20 ns; at least the words that it
  /// has memory for, so that few words of many places do not take much.
  long long cells_read() const {
    const long long done =
        tiles_ + lines_.adds() / 3 + lines_.taps() + lines_.united() / 12 + touches_ + cache_.single_touches();
    return (std::max)(done, cache_.words());
  }

 private:
  /// Returns a pass with rows for columns. A column of tiles has words of 64 cells then, and not of one.
  static Problem turned(Problem problem) {
    std::swap(problem.rows, problem.cols);
    std::swap(problem.tile_rows, problem.tile_cols);
    std::swap(problem.rows_radius, problem.cols_radius);
    return problem;
  }

  std::shared_ptr<const tap_cells> cells_of(int pixels, int tile, int radius, bool is_coarse, int& together) const {
    if (is_coarse) together = tiles_together(pixels, tile, radius, problem_.step);
    return std::make_shared<const tap_cells>(pixels, tile * together, radius, problem_.step, is_coarse);
  }

  /// Returns how many tiles side by side to replay as one, so that few ranges of taps are kept: a power of two.
  static int tiles_together(int pixels, int tile, int radius, int step) {
    const auto has_many_ranges = [&](int tiles) {
      return tap_cells::ranges(pixels, tiles * tile, radius, step, true) > 1 << 18;
    };
    int tiles = 1;
    while (1LL * tiles * tile < pixels && 2LL * tiles * tile <= 0x7fffffff && has_many_ranges(tiles)) tiles *= 2;
    return tiles;
  }

  bool is_turned_;  // a column of tiles is replayed as a row
  Problem problem_;
  extent together_{1, 1};                         // tiles, in either direction
  std::shared_ptr<const tap_cells> rows_, cols_;  // copies of a replay share them
  tapped_lines lines_;
  line_lru cache_;
  long long tiles_ = 0, touches_ = 0;
};

/// Returns a step in tiles, no more than a grid has, in either direction: 1 where there are no taps, `within` if it is
/// shorter than a tile, and 0 if it is no whole number of them.
template <class Problem>
extent step_in_tiles(const Problem& problem, int within) {
  const extent grid = problem.grid();
  const auto in_tiles = [&](int tile, int radius, int tiles) {
    if (radius == 0) return 1;
    if (problem.step < tile) return within;
    return problem.step % tile == 0 ? (std::min)(problem.step / tile, (std::max)(1, tiles)) : 0;
  };
  return {in_tiles(problem.tile_rows, problem.rows_radius, grid.rows),
          in_tiles(problem.tile_cols, problem.cols_radius, grid.cols)};
}

/// Returns residue classes of tiles a step apart; nothing if a step is no whole number of tiles.
template <class Problem>
std::vector<recipe> dilated_to_try(const Problem& problem) {
  const extent step = step_in_tiles(problem, 0);
  if (step.size() == 0 || step == extent{1, 1}) return {};
  std::vector<recipe> choices;
  for (const int width : {64, 16, 4}) choices.push_back({recipe::dilated, width, axis::x, step});
  return choices;
}

/// Returns sm_affine over strips two tiles wide of the tiles that share most, which are neighbours or a step apart.
/// Returns nothing if a step is wider than a tile and no whole number of tiles. H200: other widths gain up to 4 % or
/// lose much. Longer runs gain up to 11 %, and lose up to 20 % where a multiprocessor has few: H200 and H100.
template <class Problem>
std::optional<recipe> affine_to_try(const Problem& problem, const predict::device& device) {
  const extent apart = step_in_tiles(problem, 1);
  if (apart.size() == 0) return {};
  constexpr int width = 2;
  const bool are_neighbours = apart == extent{1, 1};
  const int runs_of_a_line = problem.grid().size() / device.multiprocessors / width;  // per multiprocessor
  const int lines = runs_of_a_line >= 15 * 128 ? 128 : runs_of_a_line >= (are_neighbours ? 20 : 40) * 32 ? 32 : 8;
  recipe near{recipe::thread_group_tiling, width};
  if (!are_neighbours) near = {recipe::dilated, width, axis::x, apart};
  near.schedule = recipe::sm_affine;
  near.run = lines * width;
  return near;
}

}}}  // namespace heddle::HEDDLE_ABI::detail

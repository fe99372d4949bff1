#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/predict/detail/lru.hpp>
#include <heddle/predict/detail/tap_cells.hpp>
#include <heddle/predict/detail/wave_replay.hpp>
#include <heddle/predict/device.hpp>
#include <heddle/predict/traffic_report.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Replays the blocks that share a multiprocessor, each at another point of its tile. A block reads line after line of
/// what its taps reach, and then takes the next tile.
class l1_replay {
 public:
  template <class Problem>
  l1_replay(const Problem& problem, long long l1_bytes)
      : rows_(problem.rows, problem.tile_rows, problem.rows_radius, problem.step),
        cols_(problem.cols, problem.tile_cols, problem.cols_radius, problem.step),
        bytes_per_pixel_(problem.bytes_per_pixel),
        cache_(l1_bytes) {}

  /// Replays tiles in the order in which they are taken. The first `unseen` tiles only fill the cache.
  void operator()(const std::vector<coord>& tiles, int blocks, std::size_t unseen) {
    std::vector<reader> readers(static_cast<std::size_t>(blocks));
    std::size_t next = 0;
    for (std::size_t i = 0; i < readers.size(); ++i) {
      readers[i].at = static_cast<double>(i) / static_cast<double>(blocks);
    }
    while (true) {
      reader& first = *std::min_element(readers.begin(), readers.end(),
                                        [](const reader& one, const reader& other) { return one.at < other.at; });
      if (first.lines.empty()) {
        if (next == tiles.size()) return;
        first = take(tiles[next], next >= unseen, first.at);
        ++next;
      }
      read_line(first);
    }
  }

  predict::l1_traffic_report seen;

 private:
  struct reader {
    double at = 0;              // time, in tiles
    std::vector<int> lines;     // lines of cells left to read, the next one last
    double time_of_pixels = 0;  // time per row of pixels
    int col = 0;                // of the tile
    bool is_seen = false;       // whether the tile is counted
  };

  reader take(coord tile, bool is_seen, double at) const {
    reader result{.at = at, .lines = {}, .col = tile.col, .is_seen = is_seen};
    for (int tap = rows_.taps() - 1; tap >= 0; --tap) {
      const auto [begin, end] = rows_.cells_of(tile.row, tap);
      for (int line = end - 1; line >= begin; --line) result.lines.push_back(line);
    }
    long long pixels = 0;
    for (const int line : result.lines) pixels += rows_.pixels(line);
    result.time_of_pixels = 1.0 / static_cast<double>(pixels);
    return result;
  }

  void read_line(reader& by) {
    const int line = by.lines.back(), pixels = rows_.pixels(line);
    by.lines.pop_back();
    by.at += pixels * by.time_of_pixels;
    for (int tap = 0; tap < cols_.taps(); ++tap) {
      const auto [begin, end] = cols_.cells_of(by.col, tap);
      for (int col = begin; col < end; ++col) {
        const long long bytes = 1LL * pixels * cols_.pixels(col) * bytes_per_pixel_;
        const long long missed = cache_.touch(number_in_blocks(line, col, cols_.size()), bytes);
        if (!by.is_seen) continue;
        seen.requested_bytes += bytes;
        seen.l2_bytes += missed;
      }
    }
  }

  tap_cells rows_, cols_;
  int bytes_per_pixel_;
  lru cache_;
};

/// Returns how many pieces `l1_bytes` looks up at most: the ranges of all taps, or twice the pixels that a tile reads.
template <class Problem>
double pieces_in_l1(const Problem& problem) {
  const auto ranges = [&](int pixels, int tile, int radius) {
    return tap_cells::ranges(pixels, tile, radius, problem.step);
  };
  const auto read = [&](int pixels, int tile, int radius) {
    return (std::min)(1.0 * pixels, (2.0 * radius + 1) * tile);
  };
  return (std::max)({16 * ranges(problem.rows, problem.tile_rows, problem.rows_radius),
                     16 * ranges(problem.cols, problem.tile_cols, problem.cols_radius),
                     2 * read(problem.rows, problem.tile_rows, problem.rows_radius) *
                         read(problem.cols, problem.tile_cols, problem.cols_radius)});
}

/// Returns the L1 traffic of a `stencil_problem`: eight stretches of up to nine waves, each on one multiprocessor,
/// scaled up to all tiles. A template, so that the header of `stencil_problem` can include this one.
template <class Order, class Problem>
predict::l1_traffic_report l1_bytes(const Order& order, const Problem& problem, const predict::device& device,
                                    int blocks, predict::schedule_choice schedule) {
  constexpr int stretches = 8, waves_of_stretch = 9;
  const taking by{order.size(), device.multiprocessors, blocks, schedule};
  l1_replay replay(problem, device.l1_bytes);
  std::size_t seen = 0;
  for (int stretch = 0; stretch < stretches; ++stretch) {
    const auto begin_of = [&](int which) { return by.waves() * which / stretches; };
    const long long first = begin_of(stretch), end = (std::min)(begin_of(stretch + 1), first + waves_of_stretch);
    std::vector<coord> tiles;
    for (long long wave = first; wave < end; ++wave) {
      for (int block = 0; block < by.blocks; ++block) {
        const long long index = by.index(static_cast<int>(37LL * stretch % device.multiprocessors), block, wave);
        if (index < by.tiles) tiles.push_back(order(static_cast<int>(index)));
      }
    }
    // L1 has the tiles of another stretch: the first wave of this one fills it and is not counted.
    const std::size_t unseen = end - first > 1 ? (std::min)(tiles.size(), static_cast<std::size_t>(by.blocks)) : 0;
    replay(tiles, by.blocks, unseen);
    seen += tiles.size() - unseen;
  }
  if (seen == 0) return {};
  const double scale = static_cast<double>(order.size()) / static_cast<double>(seen);
  return {static_cast<long long>(scale * static_cast<double>(replay.seen.requested_bytes)),
          static_cast<long long>(scale * static_cast<double>(replay.seen.l2_bytes))};
}

}  // namespace heddle::inline HEDDLE_ABI::detail

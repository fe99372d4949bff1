#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/predict/advice_rules.hpp>
#include <heddle/predict/detail/line_lru.hpp>
#include <heddle/predict/detail/orders_over.hpp>
#include <heddle/predict/detail/stencil_replay.hpp>
#include <heddle/predict/detail/tap_cells.hpp>
#include <heddle/predict/detail/wave_replay.hpp>
#include <heddle/predict/device.hpp>
#include <heddle/predict/traffic_report.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// Replays the blocks that share a multiprocessor, each at another point of its tile. A block reads line after line of
/// what its taps reach, and then takes the next tile.
class l1_replay {
 public:
  template <class Problem>
  l1_replay(const Problem& problem, long long l1_bytes)
      : rows_(problem.rows, problem.tile_rows, problem.rows_radius, problem.step),
        cols_(problem.cols, problem.tile_cols, problem.cols_radius, problem.step),
        bytes_per_pixel_(problem.bytes_per_pixel),
        cache_(l1_bytes, cols_.size()) {}

  /// Replays tiles in the order in which they are taken. The first `unseen` tiles only fill the cache.
  void operator()(const std::vector<coord>& tiles, int blocks, std::size_t unseen) {
    std::vector<reader> readers(static_cast<std::size_t>(blocks));
    std::priority_queue<turn, std::vector<turn>, std::greater<>> next_line;
    for (int i = 0; i < blocks; ++i) next_line.push({1.0 * i / blocks, i});
    for (std::size_t next = 0; !next_line.empty();) {
      const auto [at, block] = next_line.top();
      next_line.pop();
      reader& by = readers[static_cast<std::size_t>(block)];
      if (by.lines.empty()) {
        if (next == tiles.size()) return;
        by = take(tiles[next], next >= unseen);
        ++next;
      }
      next_line.push({at + read_line(by), block});
    }
  }

  /// Returns how often a tile in the middle reads a line.
  long long lines_of_tile() const {
    long long lines = 0;
    for (int tap = 0; tap < rows_.taps(); ++tap) {
      const auto [begin, end] = rows_.cells_of(rows_.tiles() / 2, tap);
      lines += end - begin;
    }
    return lines;
  }

  predict::l1_traffic_report seen;

 private:
  using turn = std::pair<double, int>;  // the time, in tiles, at which a block reads its next line

  struct reader {
    std::vector<int> lines;              // lines of cells left to read, the next one last
    std::map<int, std::uint64_t> words;  // the cells of each line
    double time_of_pixels = 0;           // time per row of pixels
    bool is_seen = false;                // whether the tile is counted
  };

  reader take(coord tile, bool is_seen) const {
    reader result{.lines = {}, .words = {}, .is_seen = is_seen};
    for (int tap = 0; tap < cols_.taps(); ++tap) {
      const auto [begin, end] = cols_.cells_of(tile.col, tap);
      for_each_word(begin, end, [&](int word, std::uint64_t bits) { result.words[word] |= bits; });
    }
    for (int tap = rows_.taps() - 1; tap >= 0; --tap) {
      const auto [begin, end] = rows_.cells_of(tile.row, tap);
      for (int line = end - 1; line >= begin; --line) result.lines.push_back(line);
    }
    long long pixels = 0;
    for (const int line : result.lines) pixels += rows_.pixels(line);
    result.time_of_pixels = 1.0 / static_cast<double>(pixels);
    return result;
  }

  /// Reads the next line of a tile, and returns the time that it takes.
  double read_line(reader& by) {
    const int line = by.lines.back();
    by.lines.pop_back();
    const auto bytes_of = [&](int of_line, int word, std::uint64_t bits) {
      return 1LL * rows_.pixels(of_line) * cols_.pixels(word * 64, bits) * bytes_per_pixel_;
    };
    for (const auto& [word, bits] : by.words) {
      const long long missed = cache_.touch(line, word, bits, bytes_of);
      if (!by.is_seen) continue;
      seen.requested_bytes += bytes_of(line, word, bits);
      seen.l2_bytes += missed;
    }
    return rows_.pixels(line) * by.time_of_pixels;
  }

  tap_cells rows_, cols_;
  int bytes_per_pixel_;
  line_lru cache_;
};

/// Returns the L1 traffic of a `stencil_problem`: eight stretches of two to nine waves, mostly 2^18 lines in all,
/// each on one multiprocessor, scaled up to all tiles. A template, so that the header of `stencil_problem` can include
/// this one.
template <class Order, class Problem>
predict::l1_traffic_report l1_bytes(const Order& order, const Problem& problem, const predict::device& device,
                                    int blocks, const recipe& launch) {
  if (order.size() == 0) return {};
  constexpr int stretches = 8;
  const taking by{order.size(), device.multiprocessors, blocks, launch};
  l1_replay replay(problem, device.l1_bytes);
  const long long waves_of_stretch = std::clamp((1 << 18) / (stretches * blocks * replay.lines_of_tile()), 2LL, 9LL);
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

/// Returns how many pieces `l1_bytes` looks up at most: the ranges of all taps, or twice the pixels that a tile reads.
template <class Problem>
double pieces_in_l1(const Problem& of) {
  const auto read = [](int pixels, int tile, int radius) {
    return (std::min)(1.0 * pixels, (2.0 * radius + 1) * tile);
  };
  return (std::max)({16 * tap_cells::ranges(of.rows, of.tile_rows, of.rows_radius, of.step),
                     16 * tap_cells::ranges(of.cols, of.tile_cols, of.cols_radius, of.step),
                     2 * read(of.rows, of.tile_rows, of.rows_radius) * read(of.cols, of.tile_cols, of.cols_radius)});
}

/// Adds sm_affine to the launches that are compared, and what its L1 reads, if the rates are known and it takes not too
/// long to replay.
template <class Problem>
void try_sm_affine(predict::advice_rules& rules, const Problem& pass, const predict::device& device, int blocks) {
  const bool knows_rates = device.l1_bytes > 0 && device.l1_bytes_per_second > 0 && device.l2_bytes_per_second > 0 &&
                           device.dram_bytes_per_second > 0;
  const std::optional<recipe> near = affine_to_try(pass, device);
  const bool is_one_wave = pass.grid().size() <= 1LL * device.multiprocessors * blocks;
  if (!knows_rates || !near || is_one_wave || pieces_in_l1(pass) > 2e6) return;
  rules.launches.push_back(*near);
  // The threads of a block wait while it draws: the fewer blocks there are, the more threads wait and the fewer other
  // blocks go on.
  rules.drawing_instructions = 1.0 * pass.rows * pass.cols * device.drawing_instructions / (1.0 * blocks * blocks);
  rules.l2_bytes = [pass, device, blocks](const recipe& by) {
    return static_cast<double>(l1_bytes(orders_over<extent>::at(by, pass.grid()), pass, device, blocks, by).l2_bytes);
  };
}

}}}  // namespace heddle::HEDDLE_ABI::detail

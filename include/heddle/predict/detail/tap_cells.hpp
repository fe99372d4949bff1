#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <heddle/detail/fast_div.hpp>
#include <heddle/predict/problem.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// One direction of an image, cut into the fewest cells such that the taps of each tile read whole cells. A thin halo
/// is a thin cell; pixels that no tap reads are not counted.
///
///   tiles of 4, radius 1, step 1      |0 . .|3 4|. . 7|        taps of tile 0: [0, 5), of tile 1: [3, 8)
///
/// Cells repeat tile by tile where no tap reaches a border. A long direction is kept without the tiles that repeat.
class tap_cells {
 public:
  struct cell_range {
    int begin, end;
  };

  /// Coarse cells are fewer: taps that leave gaps move by up to a twelfth of a step, and a last tile that is narrower
  /// than a step has no gaps if the others have none.
  tap_cells(int pixels, int tile, int radius, int step, bool is_coarse = false) : tile_(tile) {
    const int all_tiles = tiles_along(pixels, tile);
    if (all_tiles == 0) return;
    const bool dense = is_dense(pixels, tile, radius, step, is_coarse);
    const int grain = is_coarse ? grain_of(tile, step) : 1;
    taps_ = dense ? 1 : 2 * radius + 1;
    const long long border = at_border(tile, radius, step);
    repeated_ = static_cast<int>((std::max)(0LL, all_tiles - 2 * border - 1));
    middle_ = repeated_ > 0 ? static_cast<int>(border) : all_tiles;
    const int tiles = all_tiles - repeated_;
    pixels -= repeated_ * tile;
    require_at_most(1 << 28, "heddle::predict::stencil_problem: tiles x taps in one direction", 1LL * tiles * taps_);

    const auto clamped = [&](long long pixel) { return static_cast<int>(std::clamp(pixel, 0LL, pixels - 1LL)); };
    for (int i = 0; i < tiles; ++i) {
      const long long first = 1LL * i * tile, last = (std::min<long long>)(first + tile, pixels) - 1;
      touched_.push_back(0);
      for (int tap = 0; tap < taps_; ++tap) {
        const long long exact = (tap - 1LL * radius) * step, high_of_dense = 1LL * radius * step;
        const long long low = dense ? exact : (exact + (exact < 0 ? -grain : grain) / 2) / grain * grain;
        const long long high = dense ? high_of_dense : low;
        ranges_.push_back({clamped(first + low), clamped(last + high) + 1});
        add_to_footprint(ranges_.back(), tap == 0);
      }
    }
    std::sort(bounds_.begin(), bounds_.end());
    bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());

    const auto cells_before = [&](int pixel) {
      return static_cast<int>(std::lower_bound(bounds_.begin(), bounds_.end(), pixel) - bounds_.begin());
    };
    // A clamped cell_range that begins inside a cell leaves that cell out: an earlier cell_range of the tile has it.
    for (cell_range& s : ranges_) s = {cells_before(s.begin), cells_before(s.end)};
    if (repeated_ > 0) {
      first_of_middle_ = cells_before(middle_ * tile);
      cells_of_middle_ = fast_div(cells_before((middle_ + 1) * tile) - first_of_middle_);
      for (int i = 0; i <= cells_of_middle_.divisor() + 64; ++i) {
        const auto [tiles_behind, cell] = cells_of_middle_(i);
        repeated_bounds_.push_back(bounds_[static_cast<std::size_t>(first_of_middle_ + cell)] + tiles_behind * tile);
      }
    }
  }

  /// Returns the number of ranges of taps that are kept: those of the tiles that do not repeat.
  static double ranges(int pixels, int tile, int radius, int step, bool is_coarse = false) {
    const auto tiles =
        static_cast<double>((std::min)(1LL * tiles_along(pixels, tile), 2 * at_border(tile, radius, step) + 1));
    return is_dense(pixels, tile, radius, step, is_coarse) ? tiles : tiles * (2 * radius + 1);
  }

  int size() const {
    return bounds_.empty() ? 0 : static_cast<int>(bounds_.size()) - 1 + repeated_ * cells_of_middle_.divisor();
  }
  /// Returns the first pixel of a cell.
  int begin_of(int cell) const {
    const int behind = cell - first_of_middle_;
    const int skipped = repeated_ == 0 || behind < 0 ? 0 : (std::min)(repeated_, cells_of_middle_.quotient(behind));
    return bounds_[static_cast<std::size_t>(cell - skipped * cells_of_middle_.divisor())] + skipped * tile_;
  }
  int pixels(int cell) const { return pixels(cell, 1); }

  /// Returns the pixels of those of 64 cells whose bits are set, the lowest of which is `first`.
  int pixels(int first, std::uint64_t bits) const {
    const auto between = [&](const auto& begin_of_cell) {
      int pixels = 0;
      for (int at = 0; bits != 0;) {
        at = std::countr_zero(bits);
        const int end = at + std::countr_one(bits >> at);
        pixels += begin_of_cell(end) - begin_of_cell(at);
        bits = end < 64 ? bits >> end << end : 0;
      }
      return pixels;
    };
    const int behind = first - first_of_middle_;
    if (repeated_ == 0) return between([&](int i) { return bounds_[static_cast<std::size_t>(first + i)]; });
    if (behind < 0 || behind + 64 > repeated_ * cells_of_middle_.divisor()) {
      return between([&](int i) { return begin_of(first + i); });
    }
    const int* const begins = repeated_bounds_.data() + cells_of_middle_(behind).remainder;
    return between([&](int i) { return begins[i]; });
  }

  int tiles() const { return static_cast<int>(touched_.size()) + repeated_; }
  int taps() const { return taps_; }
  cell_range cells_of(int tile, int tap) const {
    const int skipped = repeats_before(tile), cells = skipped * cells_of_middle_.divisor();
    const cell_range kept = ranges_[static_cast<std::size_t>(tile - skipped) * static_cast<std::size_t>(taps_) +
                                    static_cast<std::size_t>(tap)];
    return {kept.begin + cells, kept.end + cells};
  }
  int pixels_touched(int tile) const { return touched_[static_cast<std::size_t>(tile - repeats_before(tile))]; }

 private:
  /// Returns whether taps leave no gap, since they are no further apart than the smallest tile is long: they are one
  /// range.
  static bool is_dense(int pixels, int tile, int radius, int step, bool is_coarse) {
    const int last = pixels % tile > 0 && !is_coarse ? pixels % tile : (std::min)(tile, pixels);
    return radius == 0 || step <= last;
  }

  /// Returns a power of two that divides a tile and is at most a sixth of a step.
  static int grain_of(int tile, int step) {
    int grain = 1;
    while (tile % (2 * grain) == 0 && 12 * grain <= step) grain *= 2;
    return grain;
  }

  /// Returns how many tiles lie between a border and the first tile that shares no pixel with tiles whose taps are
  /// clamped there.
  static long long at_border(int tile, int radius, int step) { return 2LL * radius * step / tile + 4; }

  /// Adds a range to the footprint of the last tile. Cells are cut where a footprint begins or ends. Clamped ranges
  /// overlap, but begin in ascending order.
  void add_to_footprint(cell_range s, bool is_first) {
    if (!is_first && s.begin <= bounds_.back()) {
      touched_.back() += (std::max)(0, s.end - bounds_.back());
      bounds_.back() = (std::max)(bounds_.back(), s.end);
    } else {
      touched_.back() += s.end - s.begin;
      bounds_.insert(bounds_.end(), {s.begin, s.end});
    }
  }

  /// Returns how many of the tiles before this one are left out.
  int repeats_before(int tile) const { return std::clamp(tile - middle_, 0, repeated_); }

  int tile_;                       // pixels
  int taps_ = 0;                   // ranges per tile
  int middle_ = 0, repeated_ = 0;  // the tile in the middle that is kept, and how many more are like it
  int first_of_middle_ = 0;        // its cells
  fast_div cells_of_middle_{1};
  std::vector<cell_range> ranges_;
  std::vector<int> bounds_;           // the first pixel of each cell, and the end
  std::vector<int> repeated_bounds_;  // of the middle and of tiles like it behind, for 64 cells from any of its cells
  std::vector<int> touched_;          // pixels in the footprint of each tile
};

}}}  // namespace heddle::HEDDLE_ABI::detail

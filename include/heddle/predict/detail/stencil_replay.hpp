#pragma once

#include <algorithm>
#include <bit>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <heddle/coord.hpp>
#include <heddle/invalid_argument.hpp>
#include <heddle/predict/detail/lru.hpp>
#include <heddle/predict/detail/tap_cells.hpp>
#include <heddle/predict/wave_traffic.hpp>

namespace heddle::inline HEDDLE_ABI::detail {

/// Replays a full-screen pass: each wave touches the cells that its taps read once, from the image's top to its bottom.
///
/// The footprint of a tile is a product of rows and columns. The footprint of a wave is found by words of a bit map:
/// first the columns of each row of tiles, then these lines of bits for every row that its taps reach.
///
/// A template, so that the header of `stencil_problem` can include this one.
template <class Problem>
class stencil_replay {
 public:
  stencil_replay(const Problem& problem, long long cache_bytes)
      : problem_(problem),
        rows_(problem.rows, problem.tile_rows, problem.rows_radius, problem.step),
        cols_(problem.cols, problem.tile_cols, problem.cols_radius, problem.step),
        cells_(require_at_most(INT_MAX, "heddle::predict::stencil_problem: cells", 1LL * rows_.size() * cols_.size())),
        tile_lines_(problem.grid().rows, cols_.size()),
        lines_(rows_.size(), cols_.size()),
        cache_(cells_, cache_bytes) {}

  predict::wave_traffic operator()(const std::vector<coord>& wave) {
    predict::wave_traffic bytes;
    for (std::size_t i = 0; i < wave.size();) {
      std::size_t last = i;  // tiles side by side go together
      while (last + 1 < wave.size() && wave[last + 1] == coord{wave[last].row, wave[last].col + 1}) ++last;
      for (int tap = 0; tap < cols_.taps(); ++tap)
        tile_lines_.set(wave[i].row, {cols_.cells_of(wave[i].col, tap).begin, cols_.cells_of(wave[last].col, tap).end});
      for (; i <= last; ++i) {
        bytes.requested_bytes += 1LL * rows_.pixels_touched(wave[i].row) * cols_.pixels_touched(wave[i].col);
        bytes.written_bytes += 1LL * (std::min)(problem_.tile_rows, problem_.rows - wave[i].row * problem_.tile_rows) *
                               (std::min)(problem_.tile_cols, problem_.cols - wave[i].col * problem_.tile_cols);
      }
    }
    bytes.requested_bytes *= problem_.bytes_per_pixel;
    bytes.written_bytes *= problem_.written_bytes_per_pixel;

    tile_lines_.drain([&](int tile_row, std::size_t word, std::uint64_t bits) {
      for (int tap = 0; tap < rows_.taps(); ++tap) {
        const auto [begin, end] = rows_.cells_of(tile_row, tap);
        for (int row = begin; row < end; ++row) lines_.set(row, word, bits);
      }
    });
    lines_.drain([&](int row, std::size_t word, std::uint64_t bits) {
      const long long row_bytes = 1LL * rows_.pixels(row) * problem_.bytes_per_pixel;
      for (; bits != 0; bits &= bits - 1) {
        const int col = static_cast<int>(word) * 64 + std::countr_zero(bits);
        bytes.dram_bytes += cache_.touch(row * cols_.size() + col, row_bytes * cols_.pixels(col));
      }
    });
    return bytes;
  }

  long long bytes_again() const { return cache_.bytes_again(); }

 private:
  /// Lines of bits, few of which a wave sets.
  class bit_lines {
   public:
    bit_lines(int lines, int bits)
        : words_in_line_(static_cast<std::size_t>(bits + 63LL) / 64),
          words_(static_cast<std::size_t>(lines) * words_in_line_),
          used_(static_cast<std::size_t>(lines)) {}

    void set(int line, std::size_t word, std::uint64_t bits) {
      used& u = used_[static_cast<std::size_t>(line)];
      u = {(std::min)(u.begin, word), (std::max)(u.end, word + 1)};
      first_ = (std::min)(first_, line);
      last_ = (std::max)(last_, line);
      words_[static_cast<std::size_t>(line) * words_in_line_ + word] |= bits;
    }

    void set(int line, tap_cells::cell_range bits) {
      const auto begin = static_cast<std::size_t>(bits.begin), end = static_cast<std::size_t>(bits.end);
      for (std::size_t word = begin / 64; word * 64 < end; ++word) {
        const std::uint64_t from = begin > word * 64 ? ~0ULL << (begin - word * 64) : ~0ULL;
        const std::uint64_t to = end < word * 64 + 64 ? ~(~0ULL << (end - word * 64)) : ~0ULL;
        set(line, word, from & to);
      }
    }

    /// Calls f(line, word, bits) for every word with bits set, in ascending order, and clears it.
    template <class F>
    void drain(const F& f) {
      for (int line = first_; line <= last_; ++line) {
        used& u = used_[static_cast<std::size_t>(line)];
        for (std::size_t word = u.begin; word < u.end; ++word) {
          std::uint64_t& bits = words_[static_cast<std::size_t>(line) * words_in_line_ + word];
          if (bits != 0) f(line, word, bits);
          bits = 0;
        }
        u = {};
      }
      first_ = INT_MAX;
      last_ = -1;
    }

   private:
    struct used {
      std::size_t begin = SIZE_MAX, end = 0;
    };
    std::size_t words_in_line_;
    std::vector<std::uint64_t> words_;
    std::vector<used> used_;
    int first_ = INT_MAX, last_ = -1;
  };

  Problem problem_;
  tap_cells rows_, cols_;
  int cells_;
  bit_lines tile_lines_, lines_;
  lru cache_;
};

}  // namespace heddle::inline HEDDLE_ABI::detail

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <heddle/predict/detail/line_lru.hpp>
#include <heddle/predict/detail/lru.hpp>
#include <heddle/predict/detail/tap_cells.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace detail {

/// The lines of cells that rows of tiles read: each line has the bits of all rows of tiles whose taps reach it.
///
/// Rows whose taps reach most lines between them are written to a matrix of words. Others are followed from one begin
/// or end of a tap to the next: all lines between two of these are the same.
class tapped_lines {
 public:
  explicit tapped_lines(int cells_of_line) : words_of_line_((cells_of_line + 63LL) / 64) {}

  /// Adds cells that a row of tiles reads in each of its lines.
  void add(int tile_row, int begin, int end) {
    for_each_word(begin, end, [&](int word, std::uint64_t bits) {
      ++adds_;
      int& place = place_of(tile_row, word);
      if (place == 0) words_.push_back({tile_row, word, 0, 0}), place = static_cast<int>(words_.size());
      words_[static_cast<std::size_t>(place) - 1].bits |= bits;
    });
  }

  /// Calls f(line, word, bits) for every word of every line, in ascending order, and forgets all rows of tiles.
  template <class F>
  void sweep(const tap_cells& cells, const F& f) {
    if (words_.empty()) return;
    number_rows_and_columns();
    int first = cells.size(), end = 0;
    long long words = 0;  // of all rows and taps
    for (const row_of_tiles& row : rows_) {
      for (int tap = 0; tap < cells.taps(); ++tap) {
        const auto lines = cells.cells_of(row.tile_row, tap);
        first = (std::min)(first, lines.begin), end = (std::max)(end, lines.end);
        words += static_cast<long long>(row.end - row.begin) * (lines.end - lines.begin);
      }
    }
    const bool is_dense = (end - first) * static_cast<long long>(columns_.size()) <= 2 * words;
    is_dense ? fill(cells, first, end, words, f) : follow_taps(cells, f);
    words_.clear();
  }

  /// Returns how many words were added, how many taps of rows of tiles were met, and how many words of these were
  /// united.
  long long adds() const { return adds_; }
  long long taps() const { return met_; }
  long long united() const { return united_; }

 private:
  struct row_of_tiles {
    int tile_row;
    std::size_t begin, end = 0;  // in `words_`
  };
  struct word_of_row {
    int tile_row, word, column;
    std::uint64_t bits;

    bool operator<(const word_of_row& that) const {
      return tile_row < that.tile_row || (tile_row == that.tile_row && word < that.word);
    }
  };
  struct end_of_tap {
    int line;
    std::size_t row;
    bool begins;
  };

  int& place_of(int tile_row, int word) { return places_[number_in_blocks(tile_row, word, words_of_line_)]; }

  /// Finds the rows, and numbers the words that some row has.
  void number_rows_and_columns() {
    for (const word_of_row& one : words_) place_of(one.tile_row, one.word) = 0;
    places_.shrink();
    if (!std::is_sorted(words_.begin(), words_.end())) std::sort(words_.begin(), words_.end());
    rows_.clear(), columns_.clear();
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (i == 0 || words_[i].tile_row != words_[i - 1].tile_row) rows_.push_back({words_[i].tile_row, i});
      rows_.back().end = i + 1;
      columns_.push_back(words_[i].word);
    }
    if (rows_.size() > 1) {
      std::sort(columns_.begin(), columns_.end());
      columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    }
    for (word_of_row& one : words_) {
      one.column = static_cast<int>(std::lower_bound(columns_.begin(), columns_.end(), one.word) - columns_.begin());
    }
    bits_.assign(columns_.size(), 0);
  }

  /// Sets the words of all lines from `first` to `end`.
  template <class F>
  void fill(const tap_cells& cells, int first, int end, long long words, const F& f) {
    const std::size_t columns = columns_.size();
    lines_.assign(static_cast<std::size_t>(end - first) * columns, 0);
    for (const row_of_tiles& row : rows_) {
      for (int tap = 0; tap < cells.taps(); ++tap) {
        const auto reached = cells.cells_of(row.tile_row, tap);
        for (int line = reached.begin; line < reached.end; ++line) {
          std::uint64_t* const of_line = &lines_[static_cast<std::size_t>(line - first) * columns];
          for (std::size_t i = row.begin; i < row.end; ++i) of_line[words_[i].column] |= words_[i].bits;
        }
      }
    }
    met_ += static_cast<long long>(rows_.size()) * cells.taps() / 4;
    united_ += words;
    const std::uint64_t* bits = lines_.data();
    for (int line = first; line < end; ++line) {
      for (const int word : columns_) {
        if (*bits != 0) f(line, word, *bits);
        ++bits;
      }
    }
  }

  /// Unites rows of tiles once for all lines between two places where a tap begins or ends.
  template <class F>
  void follow_taps(const tap_cells& cells, const F& f) {
    meet_taps(cells);
    std::vector<int> reaching(rows_.size());  // how many taps of each row reach the line
    std::vector<std::size_t> active;          // the rows of which at least one does
    for (std::size_t i = 0; i < taps_.size();) {
      const int line = taps_[i].line;
      for (; i < taps_.size() && taps_[i].line == line; ++i) {
        const std::size_t row = taps_[i].row;
        const bool was_active = reaching[row] > 0;
        reaching[row] += taps_[i].begins ? 1 : -1;
        if (!was_active && reaching[row] > 0) active.push_back(row);
        if (was_active && reaching[row] == 0) active.erase(std::find(active.begin(), active.end(), row));
      }
      if (active.empty()) continue;
      unite(active);
      for (int same = line; same < taps_[i].line; ++same) {
        for (const word_of_row& one : united_words_) f(same, one.word, one.bits);
      }
    }
  }

  void meet_taps(const tap_cells& cells) {
    taps_.clear();
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      for (int tap = 0; tap < cells.taps(); ++tap) {
        const auto [begin, end] = cells.cells_of(rows_[row].tile_row, tap);
        if (begin == end) continue;
        taps_.push_back({begin, row, true});
        taps_.push_back({end, row, false});
      }
    }
    met_ += static_cast<long long>(taps_.size() / 2);
    std::sort(taps_.begin(), taps_.end(), [](const end_of_tap& a, const end_of_tap& b) { return a.line < b.line; });
  }

  void unite(const std::vector<std::size_t>& rows) {
    united_words_.clear();
    int first = static_cast<int>(columns_.size()), last = 0;
    for (const std::size_t row : rows) {
      const row_of_tiles& one = rows_[row];
      first = (std::min)(first, words_[one.begin].column);
      last = (std::max)(last, words_[one.end - 1].column);
      for (std::size_t i = one.begin; i < one.end; ++i)
        bits_[static_cast<std::size_t>(words_[i].column)] |= words_[i].bits;
      united_ += static_cast<long long>(one.end - one.begin);
    }
    for (int column = first; column <= last; ++column) {
      std::uint64_t& bits = bits_[static_cast<std::size_t>(column)];
      if (bits != 0) united_words_.push_back({0, columns_[static_cast<std::size_t>(column)], column, bits});
      bits = 0;
    }
  }

  long long words_of_line_;
  sparse<int> places_;  // of each word in `words_`, counted from 1
  std::vector<row_of_tiles> rows_;
  std::vector<word_of_row> words_, united_words_;
  std::vector<int> columns_;          // the words that some row has
  std::vector<std::uint64_t> bits_;   // of each column
  std::vector<std::uint64_t> lines_;  // of each column of each line
  std::vector<end_of_tap> taps_;
  long long adds_ = 0, met_ = 0, united_ = 0;
};

}}}  // namespace heddle::HEDDLE_ABI::detail

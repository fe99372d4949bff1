#pragma once

#include <string>
#include <vector>

#include <heddle/draw/detail/shapes.hpp>

namespace heddle::inline HEDDLE_ABI::draw::detail {

/// Counts and draws the stripes that waves fetch: a row of tiles needs a stripe of A, a column a stripe of B. The first
/// tile of a wave that needs a stripe fetches it for the whole wave.
class stripes {
 public:
  explicit stripes(extent grid)
      : grid_(grid), rows_(static_cast<unsigned>(grid.rows)), cols_(static_cast<unsigned>(grid.cols)) {}

  /// Draws the tiles [begin, end) of a wave, coloured by what they fetch, with a bar on the side of each stripe.
  template <class Order>
  std::string draw_wave(const Order& order, int begin, int end, int size) {
    std::vector<coord> both, row_only, col_only, nothing;
    markup row_bars, col_bars;
    const int bar = size / 9;
    ++wave_;
    for (int i = begin; i < end; ++i) {
      const coord tile = order(i);
      require_equal(1, "heddle::draw::svg: grid.contains(order(i))", grid_.contains(tile));
      const bool row = rows_[static_cast<unsigned>(tile.row)].fetched_in(wave_);
      const bool col = cols_[static_cast<unsigned>(tile.col)].fetched_in(wave_);
      (row ? col ? both : row_only : col ? col_only : nothing).push_back(tile);
      const std::string corner = std::to_string(1LL * tile.col * size) + ' ' + std::to_string(1LL * tile.row * size);
      if (row) row_bars.add("M", corner, "v", size - gap(size) - 2 * bar);
      if (col) col_bars.add("M", corner, "h", size - gap(size) - 2 * bar);
    }
    markup text;
    text.add(open_tiles(size), tiles(brings_both, both, size), tiles(brings_row, row_only, size),
             tiles(brings_col, col_only, size), tiles(brings_nothing, nothing, size), "</g>\n");
    const auto bars = [&](const std::string& path, const std::string& x, const std::string& y) {
      if (path.empty() || bar == 0) return;
      text.add("<path stroke=\"", ink, "\" stroke-width=\"", bar, "\" transform=\"translate(", x, " ", y, ")\" d=\"",
               path, "\"/>\n");
    };
    bars(row_bars.str(), half(3 * bar), std::to_string(bar));
    bars(col_bars.str(), std::to_string(bar), half(3 * bar));
    return text.str();
  }

  long long fetches() const {
    long long sum = 0;
    for (const stripe& row : rows_) sum += row.fetches;
    for (const stripe& col : cols_) sum += col.fetches;
    return sum;
  }

  /// Draws how often each stripe was fetched: one tile to the left of the grid and one above it, the sum in the corner.
  std::string draw_margins(int size) const {
    if (grid_.size() == 0) return "";
    std::vector<coord> left, top;
    markup numbers;
    const int font = font_size(size, static_cast<int>(std::to_string(fetches()).size()), size * 2 / 5);
    numbers.add(open_numbers(font, half(size - gap(size)), baseline(size, font), "middle"),
                number({-1, -1}, fetches(), size));
    for (int row = 0; row < grid_.rows; ++row) {
      left.push_back({row, -1});
      numbers.add(number({row, -1}, rows_[static_cast<unsigned>(row)].fetches, size));
    }
    for (int col = 0; col < grid_.cols; ++col) {
      top.push_back({-1, col});
      numbers.add(number({-1, col}, cols_[static_cast<unsigned>(col)].fetches, size));
    }
    markup text;
    text.add(open_tiles(size), tiles(brings_both, {{-1, -1}}, size), tiles(brings_row, left, size),
             tiles(brings_col, top, size), "</g>\n");
    if (font > 0) text.add(numbers.str(), "</g>\n");
    return text.str();
  }

 private:
  struct stripe {
    int wave = 0;  // the last wave that fetched it
    int fetches = 0;

    bool fetched_in(int this_wave) {
      const bool is_first = wave != this_wave;
      wave = this_wave;
      fetches += is_first;
      return is_first;
    }
  };

  extent grid_;
  std::vector<stripe> rows_, cols_;
  int wave_ = 0;
};

}  // namespace heddle::inline HEDDLE_ABI::draw::detail

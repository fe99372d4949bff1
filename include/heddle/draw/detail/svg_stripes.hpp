#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <heddle/draw/detail/shapes.hpp>
#include <heddle/draw/detail/sheet.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace draw::detail {

/// Counts and draws the stripes that waves fetch: a row of tiles needs a stripe of A, a column a stripe of B. The first
/// tile of a wave that needs a stripe fetches it for the whole wave. Each plane of a batch, and each group, has stripes
/// of its own.
template <class Space>
class stripes {
 public:
  stripes(const Space& space, const sheet& sheet) : space_(space), sheet_(sheet) {
    for (int plane = 0; plane < sheet.planes(); ++plane) {
      const int rows = rows_of_plane(space, plane), cols = rows > 0 ? cols_of(space) : 0;
      planes_.push_back(
          {std::vector<stripe>(static_cast<unsigned>(rows)), std::vector<stripe>(static_cast<unsigned>(cols))});
    }
  }

  /// Draws the tiles [begin, end) of a wave, coloured by what they fetch, with a bar on the side of each stripe.
  template <class Order>
  std::string draw_wave(const Order& order, int begin, int end, int size) {
    std::vector<coord> both, row_only, col_only, nothing;
    markup row_bars, col_bars;
    const int bar = size / 9;
    ++wave_;
    for (int i = begin; i < end; ++i) {
      const auto tile = order(i);
      require_equal(1, "heddle::draw::svg: grid.contains(order(i))", space_.contains(tile));
      const auto [plane, at] = in_plane(tile);
      const bool row = planes_[static_cast<unsigned>(plane)].rows[static_cast<unsigned>(at.row)].fetched_in(wave_);
      const bool col = planes_[static_cast<unsigned>(plane)].cols[static_cast<unsigned>(at.col)].fetched_in(wave_);
      const coord place = sheet_(tile);
      (row ? col ? both : row_only : col ? col_only : nothing).push_back(place);
      const std::string corner = std::to_string(1LL * place.col * size) + ' ' + std::to_string(1LL * place.row * size);
      if (row) row_bars.add("M", corner, "v", size - gap(size) - 2 * bar);
      if (col) col_bars.add("M", corner, "h", size - gap(size) - 2 * bar);
    }
    markup text;
    text.add(open_tiles(size), tiles(brings_both, both, size), tiles(brings_row, row_only, size),
             tiles(brings_col, col_only, size), tiles(brings_nothing, nothing, size), "</g>\n");
    const auto bars = [&](const std::string& path, const std::string& x, const std::string& y) {
      if (bar == 0) return;
      text.add("<path stroke=\"", ink, "\" stroke-width=\"", bar, "\" transform=\"translate(", x, " ", y, ")\" d=\"",
               path, "\"/>\n");
    };
    bars(row_bars.str(), half(3 * bar), std::to_string(bar));
    bars(col_bars.str(), std::to_string(bar), half(3 * bar));
    return text.str();
  }

  /// Draws how often each stripe was fetched: a column of tiles to the left of a plane and a row above it, with the sum
  /// in the corner.
  std::string draw_margins(int size) const {
    if (space_.size() == 0) return "";
    std::vector<coord> corners, left, top;
    std::vector<long long> sums;
    long long highest = 0;
    for (const auto& [rows, cols] : planes_) {
      sums.push_back(0);
      for (const stripe& row : rows) sums.back() += row.fetches;
      for (const stripe& col : cols) sums.back() += col.fetches;
      highest = (std::max)(highest, sums.back());
    }
    const int font = font_size(size, static_cast<int>(std::to_string(highest).size()), size * 2 / 5);
    markup numbers;
    numbers.add(open_numbers(font, half(size - gap(size)), baseline(size, font), "middle"));
    const auto add = [&](std::vector<coord>& to, int plane, coord at, long long count) {
      to.push_back(sheet_(plane, at));
      numbers.add(number(to.back(), count, size));
    };
    for (int plane = 0; plane < sheet_.planes(); ++plane) {
      const auto& [rows, cols] = planes_[static_cast<unsigned>(plane)];
      if (rows.empty()) continue;
      add(corners, plane, {-1, -1}, sums[static_cast<unsigned>(plane)]);
      for (unsigned row = 0; row < rows.size(); ++row) add(left, plane, {static_cast<int>(row), -1}, rows[row].fetches);
      for (unsigned col = 0; col < cols.size(); ++col) add(top, plane, {-1, static_cast<int>(col)}, cols[col].fetches);
    }
    markup text;
    text.add(open_tiles(size), tiles(brings_both, corners, size), tiles(brings_row, left, size),
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

  struct plane_stripes {
    std::vector<stripe> rows, cols;
  };

  Space space_;
  sheet sheet_;
  std::vector<plane_stripes> planes_;
  int wave_ = 0;
};

}}}  // namespace heddle::HEDDLE_ABI::draw::detail

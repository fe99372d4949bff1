#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/draw/detail/markup.hpp>
#include <heddle/draw/detail/palette.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace draw::detail {

/// Pixels between tiles: 1 if tiles are large enough to be told apart.
constexpr int gap(int size) {
  return size >= 8 ? 1 : 0;
}

/// Opens a group in which tiles are the dashes of thick lines: a run of tiles in a row costs as much text as one tile.
inline std::string open_tiles(int size) {
  markup text;
  text.add("<g fill=\"none\" stroke-width=\"", size - gap(size), "\"");
  if (gap(size) > 0) text.add(" stroke-dasharray=\"", size - gap(size), " ", gap(size), "\"");
  text.add(" transform=\"translate(0 ", half(size - gap(size)), ")\">\n");
  return text.str();
}

/// A line for each run of neighbours in a row.
inline std::string tiles_path(std::vector<coord> tiles, int size) {
  std::sort(tiles.begin(), tiles.end(),
            [](coord a, coord b) { return a.row != b.row ? a.row < b.row : a.col < b.col; });
  markup path;
  for (std::size_t i = 0, last = 0; i < tiles.size(); i = last + 1) {
    last = i;
    while (last + 1 < tiles.size() && tiles[last + 1] == coord{tiles[last].row, tiles[last].col + 1}) ++last;
    path.add("M", 1LL * tiles[i].col * size, " ", 1LL * tiles[i].row * size, "h",
             static_cast<long long>(last + 1 - i) * size);
  }
  return path.str();
}

inline std::string tiles(const std::string& colour, const std::vector<coord>& tiles, int size) {
  if (tiles.empty()) return "";
  return markup().add("<path stroke=\"", colour, "\" d=\"", tiles_path(tiles, size), "\"/>\n").str();
}

/// The background that an animation shows before tiles appear.
inline std::string empty_tiles(const std::vector<coord>& tiles, int size) {
  if (tiles.empty()) return "";
  return markup().add("<path ", unlit, " d=\"", tiles_path(tiles, size), "\"/>\n").str();
}

/// Lines from tile to tile, to the tiles [begin, end): thick to an edge neighbour, thin elsewhere. `place(i)` is the
/// i-th tile's.
template <class Place>
std::string steps(const Place& place, int begin, int end, int size) {
  markup near_steps, jumps;
  const auto point = [&](coord tile) {
    return std::to_string(1LL * tile.col * size) + ' ' + std::to_string(1LL * tile.row * size);
  };
  bool drawing = false;
  long long rows = 0, cols = 0;  // of the straight run that is being drawn
  const auto finish_run = [&] {
    if (rows != 0) near_steps.add("v", rows * size);
    if (cols != 0) near_steps.add("h", cols * size);
    rows = cols = 0;
  };
  for (int i = (std::max)(begin, 1); i < end; ++i) {
    const coord from = place(i - 1), to = place(i);
    const long long down = 1LL * to.row - from.row, right = 1LL * to.col - from.col;
    const bool is_near = down * down + right * right == 1;
    if (!is_near || down * rows + right * cols <= 0) finish_run();
    if (is_near) {
      if (!drawing) near_steps.add("M", point(from));
      rows += down;
      cols += right;
    } else {
      jumps.add("M", point(from), "L", point(to));
    }
    drawing = is_near;
  }
  finish_run();

  const std::string middle = half(size - gap(size));
  markup text;
  const auto add = [&](const std::string& path, int tenths, const char* opacity) {
    if (path.empty()) return;
    text.add("<path stroke-width=\"", tenths / 10, ".", tenths % 10, "\" stroke-opacity=\"", opacity, "\" d=\"", path,
             "\"/>\n");
  };
  text.add("<g fill=\"none\" stroke=\"", ink, "\" stroke-linejoin=\"round\" stroke-linecap=\"round\" ",
           "transform=\"translate(", middle, " ", middle, ")\">\n");
  add(jumps.str(), (std::max)(5, size * 2 / 5), ".45");
  add(near_steps.str(), (std::max)(8, size), ".62");
  if (begin == 0 && end > 0) {
    text.add("<circle cx=\"", 1LL * place(0).col * size, "\" cy=\"", 1LL * place(0).row * size, "\" r=\"",
             (size + 5) / 6, "\" fill=\"", ink, "\" stroke=\"none\"/>\n");
  }
  text.add("</g>\n");
  return text.str();
}

/// The largest font in which `digits` digits fit into a tile, at most `limit` pixels; 0 if it is too small to read.
constexpr int font_size(int size, int digits, int limit) {
  const int fitting = (size - gap(size)) * 3 / 2 / digits;  // a digit is as wide as 0.6 of its font
  return fitting < 5 || limit < 5 ? 0 : fitting < limit ? fitting : limit;
}

inline std::string open_numbers(int font, const std::string& x, const std::string& y, const char* anchor) {
  markup text;
  text.add("<g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,monospace\" font-size=\"", font,
           "\" text-anchor=\"", anchor, "\" fill=\"", ink, "\" transform=\"translate(", x, " ", y, ")\">\n");
  return text.str();
}

/// The y at which digits are centred in a tile.
inline std::string baseline(int size, int font) {
  const int tenths = 5 * (size - gap(size)) + font * 18 / 5;
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10);
}

inline std::string number(coord tile, long long value, int size) {
  markup text;
  text.add("<text x=\"", 1LL * tile.col * size, "\" y=\"", 1LL * tile.row * size, "\">", value, "</text>\n");
  return text.str();
}

}}}  // namespace heddle::HEDDLE_ABI::draw::detail

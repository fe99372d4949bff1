#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include <heddle/concepts.hpp>

namespace heddle::inline v0::draw::detail {

using namespace heddle::detail;

/// Text out of strings and whole numbers.
class markup {
 public:
  template <class... Parts>
  void add(const Parts&... parts) {
    (append(parts), ...);
  }
  const std::string& str() const { return text_; }

 private:
  template <class Part>
  void append(const Part& part) {
    if constexpr (std::is_integral_v<Part>) {
      text_.append(std::to_string(part));
    } else {
      text_.append(part);
    }
  }
  std::string text_;
};

inline std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result.append("&amp;");
        break;
      case '<':
        result.append("&lt;");
        break;
      case '>':
        result.append("&gt;");
        break;
      case '"':
        result.append("&quot;");
        break;
      default:
        result.push_back(c);
    }
  }
  return result;
}

/// A sub-path for each run of neighbours in a row, with a gap of a pixel round it where there is room.
inline std::string rectangles(std::vector<coord> tiles, int size) {
  std::sort(tiles.begin(), tiles.end(),
            [](coord a, coord b) { return a.row != b.row ? a.row < b.row : a.col < b.col; });
  const int gap = size >= 8 ? 1 : 0;
  markup path;
  for (unsigned i = 0; i < tiles.size(); ++i) {
    unsigned last = i;
    // With a gap every tile is seen; without, a run of them is one rectangle.
    while (gap == 0 && last + 1 < tiles.size() && tiles[last + 1] == coord{tiles[last].row, tiles[last].col + 1})
      ++last;
    const int width = (tiles[last].col - tiles[i].col + 1) * size - gap, height = size - gap;
    path.add("M", tiles[i].col * size, " ", tiles[i].row * size, "h", width, "v", height, "h", -width, "z");
    i = last;
  }
  return path.str();
}

/// The steps of an order as two paths: those to an edge neighbour, and thinner the others.
template <class Order>
std::string steps(const Order& order, int size) {
  markup near_steps, jumps;
  const auto centre = [&](coord tile) {
    markup point;
    point.add(tile.col * size + size / 2, " ", tile.row * size + size / 2);
    return point.str();
  };
  bool drawing = false;
  for (int i = 1; i < order.size(); ++i) {
    const coord from = order(i - 1), to = order(i);
    const int rows = to.row - from.row, cols = to.col - from.col;
    if (rows * rows + cols * cols == 1) {
      if (!drawing) near_steps.add("M", centre(from));
      near_steps.add("L", centre(to));
    } else {
      jumps.add("M", centre(from), "L", centre(to));
    }
    drawing = rows * rows + cols * cols == 1;
  }
  markup text;
  const auto add = [&](const std::string& path, const char* width, const char* opacity) {
    if (path.empty()) return;
    text.add(
        "<path fill=\"none\" stroke=\"#12181f\" stroke-linejoin=\"round\" stroke-linecap=\"round\" stroke-width=\"",
        width, "\" stroke-opacity=\"", opacity, "\" d=\"", path, "\"/>\n");
  };
  add(jumps.str(), "1", ".45");
  add(near_steps.str(), "2.5", ".6");
  if (order.size() > 0) {
    const auto [row, col] = order(0);
    text.add("<circle cx=\"", col * size + size / 2, "\" cy=\"", row * size + size / 2, "\" r=\"", (size + 7) / 8,
             "\" fill=\"#12181f\"/>\n");
  }
  return text.str();
}

/// The indices [begin, end), each on its tile.
template <class Order>
std::string numbers(const Order& order, int begin, int end, int size) {
  markup text;
  text.add("<g font-family=\"ui-monospace,Menlo,Consolas,monospace\" font-size=\"", size * 2 / 5,
           "\" text-anchor=\"middle\" fill=\"#12181f\">\n");
  for (int i = begin; i < end; ++i) {
    const auto [row, col] = order(i);
    text.add("<text x=\"", col * size + size / 2, "\" y=\"", row * size + size * 16 / 25, "\">", i, "</text>\n");
  }
  text.add("</g>\n");
  return text.str();
}

/// The tiles [begin, end) of an order by what they bring: a row and a column, a row, a column, nothing new.
template <class Order>
std::vector<std::vector<coord>> by_first_touch(const Order& order, int begin, int end) {
  const extent grid = order.grid();
  std::vector<bool> rows(static_cast<unsigned>(grid.rows)), cols(static_cast<unsigned>(grid.cols));
  std::vector<std::vector<coord>> kinds(4);
  for (int i = begin; i < end; ++i) {
    const coord tile = order(i);
    const auto row = static_cast<unsigned>(tile.row), col = static_cast<unsigned>(tile.col);
    kinds[rows[row] ? (cols[col] ? 3 : 2) : (cols[col] ? 1 : 0)].push_back(tile);
    rows[row] = cols[col] = true;
  }
  return kinds;
}

/// One of `count` waves in a cycle that never ends: faint before its turn, bright in it, paler after it.
inline std::string lit_in_turn(int wave, int count) {
  const long long turns = count + 3;  // a rest at the end
  const auto milliseconds = std::clamp(350 * turns, 3000LL, 14000LL);
  const auto share = [&](long long half_turns) {  // whole numbers only: a locale may write fractions with a comma
    const std::string digits = std::to_string(half_turns * 5000 / turns);
    return "0." + std::string(4 - digits.size(), '0') + digits;
  };
  markup text;
  text.add("<animate attributeName=\"opacity\" calcMode=\"discrete\" dur=\"", milliseconds,
           "ms\" repeatCount=\"indefinite\" values=\".13;1;.6\" keyTimes=\"0;", share(2 * wave + 1), ";",
           share(2 * wave + 3), "\"/>");
  return text.str();
}

}  // namespace heddle::inline v0::draw::detail

#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <heddle/draw/detail/markup.hpp>
#include <heddle/draw/detail/palette.hpp>

#include "page/scale.hpp"

// Pictures of figures, each one self-contained SVG that looks the same on light and on dark pages.

namespace heddle_bench {

/// A line of a `chart`, or its dots.
struct series {
  struct point {
    double x, y;  // above 0
  };
  std::string name;           // stands at the last point
  std::vector<point> points;  // from left to right
  bool dashed = false;        // drawn in dashes
  bool joined = true;         // by a line; otherwise each point is a dot
  int twin = -1;              // the series whose colour it has, dotted and without a name; -1 is none
};

/// How a `chart` is drawn.
struct chart_options {
  std::string title = "";         // the text alternative of the picture
  std::string x = "", y = "";     // what the axes show
  double line = 0;                // the y of a dashed line across the chart; 0 is none
  int width = 560, height = 320;  // pixels
  bool named = true;              // names stand at the lines; otherwise a legend has them
};

/// The colour of line `i` of a chart. A few lines that have no names beside them differ in hue.
inline std::string colour_of(std::size_t i, std::size_t count, bool named) {
  constexpr const char* few[] = {"#2f7ed8", "#d9731a", "#1f9d6b", "#a35bd6", "#7d8792", "#d64f6b"};
  if (!named && count <= std::size(few)) return few[i];
  return heddle::draw::detail::ramp(static_cast<long long>(i), static_cast<long long>(count));
}

/// Moves names that stand one below the other apart, `room` pixels each, within [top, bottom]. `wanted` is sorted.
/// Names that would overlap give way to both sides.
inline std::vector<int> apart(const std::vector<int>& wanted, int room, int top, int bottom) {
  std::vector<double> at(wanted.begin(), wanted.end());
  for (std::size_t turn = 0; turn < 20 * at.size(); ++turn) {
    at.front() = std::max(at.front(), 1.0 * top);
    at.back() = std::min(at.back(), 1.0 * bottom);
    for (std::size_t i = 1; i < at.size(); ++i) {
      const double lacking = std::max(0.0, room - (at[i] - at[i - 1]));
      at[i - 1] -= lacking / 2, at[i] += lacking / 2;
    }
  }
  std::vector<int> found;
  for (const double y : at) {
    const int rounded = static_cast<int>(std::lround(y));
    found.push_back(found.empty() ? rounded : std::max(rounded, found.back() + room));
  }
  return found;
}

/// Draws lines and dots over two logarithmic axes.
///
///   chart({{"2 keys", {{176, 1.2}, {704, 1.6}}}}, {.x = "clocks of a branch", .y = "times as fast", .line = 1})
///
///       times as fast
///     1.5 |         ,—— 2 keys
///       1 |- - -/- - - - - - -
///           200    300   500
///           clocks of a branch
///
/// The name of a line stands behind its last point, or above it if the line ends early. Names that would overlap move
/// apart.
inline std::string chart(const std::vector<series>& all, const chart_options& options) {
  using heddle::draw::detail::escaped;
  std::set<double> xs, ys;
  std::size_t longest = 0, lines = 0;
  if (options.line > 0) ys.insert(options.line);
  for (const series& each : all) {
    lines += each.twin < 0;
    longest = std::max(longest, each.name.size());
    for (const series::point& point : each.points) xs.insert(point.x), ys.insert(point.y);
  }
  if (xs.empty()) xs.insert(1);
  if (ys.empty()) ys.insert(1);
  const int width = options.width, height = options.height;
  constexpr int left = 60, top = 32, bottom = 50;
  const int right = options.named ? std::max(130, 30 + 8 * static_cast<int>(std::min<std::size_t>(longest, 40))) : 20;
  const scale x_axis(*xs.begin(), *xs.rbegin()), y_axis(*ys.begin() / 1.06, *ys.rbegin() * 1.06);
  const auto across = [&](double x) {
    return left + static_cast<int>(std::lround(x_axis(x) * (width - left - right)));
  };
  const auto down = [&](double y) {
    return height - bottom - static_cast<int>(std::lround(y_axis(y) * (height - top - bottom)));
  };
  // Few values of x with short names have each its own line.
  const bool is_few =
      xs.size() <= 9 && std::all_of(xs.begin(), xs.end(), [](double x) { return short_number(x).size() <= 5; });
  const std::vector<double> x_ticks = is_few ? std::vector<double>(xs.begin(), xs.end()) : x_axis.ticks(9),
                            y_ticks = y_axis.ticks(8);

  heddle::draw::detail::markup svg;
  constexpr const char *grey = "#848d97", *font = "<g font-family=\"system-ui,sans-serif\" font-size=\"13\" fill=\"";
  svg.add(heddle::draw::detail::open_svg(width, height, options.title));
  svg.add("<path fill=\"none\" ", heddle::draw::detail::unlit, " d=\"");
  for (const double tick : x_ticks) svg.add("M", across(tick), " ", top, "V", height - bottom);
  for (const double tick : y_ticks) svg.add("M", left, " ", down(tick), "H", width - right);
  svg.add("\"/>\n");
  if (options.line > 0) {
    svg.add("<path fill=\"none\" stroke=\"", grey, "\" stroke-dasharray=\"6 4\" d=\"M", left, " ", down(options.line),
            "H", width - right, "\"/>\n");
  }
  svg.add(font, grey, "\">\n<g text-anchor=\"middle\">\n");
  const auto text = [&](int x, int y, const std::string& what) {
    svg.add("<text x=\"", x, "\" y=\"", y, "\">", escaped(what), "</text>\n");
  };
  for (int end = -width; const double tick : x_ticks) {  // names keep clear of each other
    const std::string name = short_number(tick);
    const int half = 4 * static_cast<int>(name.size());
    if (across(tick) - half < end) continue;
    text(across(tick), height - bottom + 18, name);
    end = across(tick) + half + 6;
  }
  text((left + width - right) / 2, height - 10, options.x);
  svg.add("</g>\n<g text-anchor=\"end\">\n");
  for (const double tick : y_ticks) text(left - 8, down(tick) + 4, short_number(tick));
  svg.add("</g>\n");
  text(8, 14, options.y);
  svg.add("</g>\n");

  std::map<int, std::vector<std::size_t>> ends;  // lines that end at the same x, from the top down
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [name, points, dashed, joined, twin] = all[i];
    if (points.empty()) continue;
    svg.add("<path fill=\"none\" stroke-width=", joined ? twin < 0 ? "\"2\"" : "\"1.4\"" : "\"5\"",
            joined ? " stroke-linejoin" : " stroke-linecap", "=\"round\" stroke=\"",
            colour_of(twin < 0 ? i : static_cast<std::size_t>(twin), lines, options.named), "\"",
            twin >= 0 ? " stroke-dasharray=\"2 3\""
            : dashed  ? " stroke-dasharray=\"7 4\""
                      : "",
            joined ? " d=\"M" : " d=\"");
    for (const series::point& point : points) {
      svg.add(joined ? " " : "M", across(point.x), " ", down(point.y), joined ? "" : "h0");
    }
    svg.add("\"/>\n");
    if (options.named && twin < 0) ends[across(points.back().x)].push_back(i);
  }
  svg.add(font, grey, "\">\n");
  for (auto& [x, here] : ends) {
    const auto y_of = [&](std::size_t i) { return down(all[i].points.back().y); };
    std::sort(here.begin(), here.end(),
              [&](std::size_t a, std::size_t b) { return std::pair(y_of(a), a) < std::pair(y_of(b), b); });
    std::vector<int> wanted;
    for (const std::size_t i : here) wanted.push_back(y_of(i));
    const std::vector<int> y = apart(wanted, 15, 8, height - bottom + 8);
    for (std::size_t rank = 0; rank < here.size(); ++rank) {
      const std::size_t i = here[rank];
      const bool moved = std::abs(y[rank] - wanted[rank]) > 3, early = x < width - right - 80;
      if (moved && !early) {
        svg.add("<path fill=\"none\" stroke-opacity=\".6\" stroke=\"", colour_of(i, lines, true), "\" d=\"M ", x + 3,
                " ", wanted[rank], " ", x + 21, " ", y[rank], "\"/>\n");
      }
      if (early) svg.add("<text text-anchor=\"end\" x=\"", x, "\" y=\"", y[rank] - 8);
      if (!early) svg.add("<text x=\"", x + (moved ? 25 : 8), "\" y=\"", y[rank] + 4);
      svg.add("\">", escaped(all[i].name), "</text>\n");
    }
  }
  svg.add("</g>\n</svg>\n");
  return svg.str();
}

}  // namespace heddle_bench

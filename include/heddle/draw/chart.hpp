#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <heddle/draw/detail/markup.hpp>
#include <heddle/draw/detail/palette.hpp>

namespace heddle::inline HEDDLE_ABI::draw {

/// A line of a `chart`, or its dots.
struct series {
  /// A point of the line, in the units of the axes.
  struct point {
    double x, y;  // from 0.001 to 10^18
  };
  std::string name;           // stands at the last point
  std::vector<point> points;  // from left to right
  bool dashed = false;        // drawn in dashes
  bool joined = true;         // by a line; otherwise each point is a dot
};

/// How a `chart` is drawn.
struct chart_options {
  std::string title = "";         // the text alternative of the picture
  std::string x = "", y = "";     // what the axes show
  double line = 1;                // the y of a dashed line across the chart; 0 is none
  int width = 560, height = 320;  // pixels
};

namespace detail {

/// The name of a power of two, with a letter from 2^14 = 16K on.
inline std::string name_of_power(int power) {
  if (power < 0) return "1/" + std::to_string(1LL << -power);
  if (power < 14) return std::to_string(1LL << power);
  const int letter = power / 10 < 6 ? power / 10 : 6;
  return std::to_string(1LL << (power - 10 * letter)) + "-KMGTPE"[letter];
}

/// Moves names that stand one below the other apart, `room` pixels each, within [top, bottom]. `wanted` is sorted.
/// Names that would overlap are centred around the mean of their wanted places.
inline std::vector<int> apart(const std::vector<int>& wanted, int room, int top, int bottom) {
  struct group {
    int first, count;
    double begin;  // the place of the first
  };
  std::vector<group> groups;
  for (int i = 0; i < static_cast<int>(wanted.size()); ++i) {
    group next{i, 1, 1.0 * wanted[static_cast<std::size_t>(i)]};
    while (!groups.empty() && groups.back().begin + groups.back().count * room > next.begin) {
      const group before = groups.back();
      groups.pop_back();
      const double shifted = next.begin - before.count * room;
      const int count = before.count + next.count;
      next = {before.first, count, (before.begin * before.count + shifted * next.count) / count};
    }
    const double last = bottom - (next.count - 1.0) * room;
    next.begin = (std::max)((std::min)(next.begin, last), 1.0 * top);
    groups.push_back(next);
  }
  std::vector<int> found;
  for (const group& each : groups) {
    for (int i = 0; i < each.count; ++i) found.push_back(static_cast<int>(std::lround(each.begin)) + i * room);
  }
  return found;
}

}  // namespace detail

/// Draws lines and dots over two axes on which each step doubles. Returns one self-contained SVG that looks the same on
/// light and on dark pages.
///
///   chart({{"2 keys", {{176, 1.2}, {704, 1.6}}}}, {.x = "clocks of a branch", .y = "times as fast"})
///
///       times as fast
///       2 |         ,—— 2 keys
///       1 |- - -/- - - - - - -
///          128  256  512  1024
///           clocks of a branch
///
/// The name of a line stands behind its last point, or above it if the line ends early. Names that would overlap move
/// apart.
///
/// **Preconditions**: coordinates are from 0.001 to 10^18; `width` is at least 290, more with long names; `height` is
/// at least 182; neither is above 65536. Others are refused.
///
/// **Example** (tests/draw/chart.cpp):
///
///     const draw::series one{"one & <other>", {{1, 1}, {2, 2}, {4, 4}, {16, 16}}}, flat{"flat", {{1, 3}, {16, 3}}};
///     const xml document(draw::chart({one, flat}, {.title = "A \"chart\"", .x = "clocks", .y = "times"}));
inline std::string chart(const std::vector<series>& all, const chart_options& options) {
  int low_x = 1000, high_x = -1000, low_y = 1000, high_y = -1000;  // the powers of two around all points
  const auto widen = [](int& low, int& high, double value) {
    detail::require_finite("heddle::draw::chart: isfinite(coordinate)", value);
    const long long thousandths = std::llround((std::min)((std::max)(value, -9e15), 9e15) * 1000);
    detail::require_at_least(1, "heddle::draw::chart: thousandths of a coordinate", thousandths);
    const long long whole = std::llround((std::min)(value, 9e18));
    detail::require_at_most(1'000'000'000'000'000'000, "heddle::draw::chart: coordinate", whole);
    constexpr double next_to = 0.03;  // a value this near to a power of two needs no further step
    low = (std::min)(low, static_cast<int>(std::floor(std::log2(value) + next_to)));
    high = (std::max)(high, static_cast<int>(std::ceil(std::log2(value) - next_to)));
  };
  if (detail::require_finite("heddle::draw::chart: isfinite(line)", options.line) > 0)
    widen(low_y, high_y, options.line);
  std::size_t longest = 0;
  for (const series& each : all) {
    longest = (std::max)(longest, each.name.size());
    for (const series::point& point : each.points) {
      widen(low_x, high_x, point.x);
      widen(low_y, high_y, point.y);
    }
  }
  if (low_x > high_x) low_x = high_x = 0;  // there are no points
  if (low_y > high_y) low_y = high_y = 0;
  if (low_x == high_x) ++high_x;
  if (low_y == high_y) ++high_y;
  const int step_x = (high_x - low_x - 1) / 9 + 1,
            step_y = (high_y - low_y - 1) / 14 + 1;  // from name to name on an axis

  const int width = options.width, height = options.height;
  constexpr int left = 60, top = 32, bottom = 50;
  const int right = (std::max)(130, 30 + 8 * static_cast<int>((std::min)(longest, std::size_t{40})));
  detail::require_at_least(left + right + 100, "heddle::draw::chart: width", width);
  detail::require_at_most(1 << 16, "heddle::draw::chart: width", width);
  detail::require_at_least(top + bottom + 100, "heddle::draw::chart: height", height);
  detail::require_at_most(1 << 16, "heddle::draw::chart: height", height);
  constexpr const char* text_colour = "#848d97";
  const auto across = [&](double x) {
    return left + static_cast<int>(std::lround((std::log2(x) - low_x) / (high_x - low_x) * (width - left - right)));
  };
  const auto down = [&](double y) {
    return height - bottom -
           static_cast<int>(std::lround((std::log2(y) - low_y) / (high_y - low_y) * (height - top - bottom)));
  };

  const auto colour_of = [&](std::size_t i) {
    return detail::ramp(static_cast<long long>(i), static_cast<long long>(all.size()));
  };

  detail::markup svg;
  svg.add(detail::open_svg(width, height, options.title));
  svg.add("<path fill=\"none\" ", detail::unlit, " d=\"");
  for (int power = low_x; power <= high_x; power += step_x)
    svg.add("M", across(std::exp2(power)), " ", top, "V", height - bottom);
  for (int power = low_y; power <= high_y; power += step_y)
    svg.add("M", left, " ", down(std::exp2(power)), "H", width - right);
  svg.add("\"/>\n");
  if (options.line > 0) {
    svg.add("<path fill=\"none\" stroke=\"", text_colour, "\" stroke-dasharray=\"6 4\" d=\"M", left, " ",
            down(options.line), "H", width - right, "\"/>\n");
  }

  svg.add("<g font-family=\"system-ui,sans-serif\" font-size=\"13\" fill=\"", text_colour,
          "\">\n<g text-anchor=\"middle\">\n");
  const auto text = [&](int x, int y, const std::string& what) {
    svg.add("<text x=\"", x, "\" y=\"", y, "\">", detail::escaped(what), "</text>\n");
  };
  for (int power = low_x; power <= high_x; power += step_x)
    text(across(std::exp2(power)), height - bottom + 18, detail::name_of_power(power));
  text((left + width - right) / 2, height - 10, options.x);
  svg.add("</g>\n<g text-anchor=\"end\">\n");
  for (int power = low_y; power <= high_y; power += step_y)
    text(left - 8, down(std::exp2(power)) + 4, detail::name_of_power(power));
  svg.add("</g>\n");
  text(8, 14, options.y);
  svg.add("</g>\n");

  std::map<int, std::vector<std::size_t>> ends;  // lines that end at the same x, from the top down
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].points.empty()) continue;
    const bool joined = all[i].joined;
    svg.add("<path fill=\"none\" stroke-width=", joined ? "\"2\" stroke-linejoin" : "\"5\" stroke-linecap",
            "=\"round\" stroke=\"", colour_of(i), "\"", all[i].dashed ? " stroke-dasharray=\"7 4\"" : "",
            joined ? " d=\"M" : " d=\"");
    for (const series::point& point : all[i].points) {
      svg.add(joined ? " " : "M", across(point.x), " ", down(point.y), joined ? "" : "h0");
    }
    svg.add("\"/>\n");
    ends[across(all[i].points.back().x)].push_back(i);
  }
  svg.add("<g font-family=\"system-ui,sans-serif\" font-size=\"13\" fill=\"", text_colour, "\">\n");
  for (auto& [x, lines] : ends) {
    const auto y_of = [&](std::size_t i) { return down(all[i].points.back().y); };
    std::sort(lines.begin(), lines.end(),
              [&](std::size_t a, std::size_t b) { return std::pair(y_of(a), a) < std::pair(y_of(b), b); });
    std::vector<int> wanted;
    for (const std::size_t i : lines) wanted.push_back(y_of(i));
    const std::vector<int> y = detail::apart(wanted, 15, 8, height - bottom + 8);
    for (std::size_t rank = 0; rank < lines.size(); ++rank) {
      const std::size_t i = lines[rank];
      const bool moved = std::abs(y[rank] - wanted[rank]) > 3, early = x < width - right - 80;
      if (moved && !early) {
        svg.add("<path fill=\"none\" stroke-opacity=\".6\" stroke=\"", colour_of(i), "\" d=\"M ", x + 3, " ",
                wanted[rank], " ", x + 21, " ", y[rank], "\"/>\n");
      }
      if (early) svg.add("<text text-anchor=\"end\" x=\"", x, "\" y=\"", y[rank] - 8);
      if (!early) svg.add("<text x=\"", x + (moved ? 25 : 8), "\" y=\"", y[rank] + 4);
      svg.add("\">", detail::escaped(all[i].name), "</text>\n");
    }
  }
  svg.add("</g>\n");
  svg.add("</svg>\n");
  return svg.str();
}

}  // namespace heddle::inline HEDDLE_ABI::draw

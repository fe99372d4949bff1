#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <heddle/draw/detail/markup.hpp>
#include <heddle/draw/detail/palette.hpp>

namespace heddle::inline v0::draw {

/// A line of a chart: what it is called, and its points from left to right.
struct series {
  struct point {
    double x, y;
  };
  std::string name;
  std::vector<point> points;
};

struct chart_options {
  std::string title = "";      // for those who cannot see it
  std::string x = "", y = "";  // what the axes show
  double line = 1;             // where a line goes across, dashed
};

/// Lines over two axes on which each step doubles: one self-contained SVG, the same on light and dark pages.
///
///   chart({{"2 keys", {{176, 1.2}, {704, 1.6}}}}, {.x = "clocks of a branch", .y = "times as fast"})
///
/// All that it shows is above 0.
inline std::string chart(const std::vector<series>& all, const chart_options& options) {
  int low_x = 1000, high_x = -1000, low_y = 1000, high_y = -1000;  // powers of two around all points
  const auto widen = [](int& low, int& high, double value) {
    detail::require_at_least(1, "heddle::draw::chart: thousandths of a coordinate", std::llround(value * 1000));
    low = (std::min)(low, static_cast<int>(std::floor(std::log2(value))));
    high = (std::max)(high, static_cast<int>(std::ceil(std::log2(value))));
  };
  widen(low_y, high_y, options.line);
  for (const series& each : all) {
    for (const series::point& point : each.points) {
      widen(low_x, high_x, point.x);
      widen(low_y, high_y, point.y);
    }
  }
  if (low_x > high_x) low_x = high_x = 0;  // there are none
  if (low_x == high_x) ++high_x;
  if (low_y == high_y) ++high_y;

  constexpr int width = 560, height = 320, left = 60, right = 130, top = 32, bottom = 50;
  constexpr const char* text_colour = "#848d97";
  const auto across = [&](double x) {
    return left + static_cast<int>(std::lround((std::log2(x) - low_x) / (high_x - low_x) * (width - left - right)));
  };
  const auto down = [&](double y) {
    return height - bottom -
           static_cast<int>(std::lround((std::log2(y) - low_y) / (high_y - low_y) * (height - top - bottom)));
  };
  const auto name_of = [](int power) {
    return power >= 0 ? std::to_string(1LL << power) : "1/" + std::to_string(1LL << -power);
  };

  detail::markup svg;
  svg.add(detail::open_svg(width, height, options.title));
  svg.add("<path fill=\"none\" ", detail::unlit, " d=\"");
  for (int power = low_x; power <= high_x; ++power)
    svg.add("M", across(std::exp2(power)), " ", top, "V", height - bottom);
  for (int power = low_y; power <= high_y; ++power) svg.add("M", left, " ", down(std::exp2(power)), "H", width - right);
  svg.add("\"/>\n<path fill=\"none\" stroke=\"", text_colour, "\" stroke-dasharray=\"6 4\" d=\"M", left, " ",
          down(options.line), "H", width - right, "\"/>\n");

  svg.add("<g font-family=\"system-ui,sans-serif\" font-size=\"13\" fill=\"", text_colour,
          "\">\n<g text-anchor=\"middle\">\n");
  const auto text = [&](int x, int y, const std::string& what) {
    svg.add("<text x=\"", x, "\" y=\"", y, "\">", detail::escaped(what), "</text>\n");
  };
  for (int power = low_x; power <= high_x; ++power)
    text(across(std::exp2(power)), height - bottom + 18, name_of(power));
  text((left + width - right) / 2, height - 10, options.x);
  svg.add("</g>\n<g text-anchor=\"end\">\n");
  for (int power = low_y; power <= high_y; ++power) text(left - 8, down(std::exp2(power)) + 4, name_of(power));
  svg.add("</g>\n");
  text(8, 14, options.y);
  svg.add("</g>\n");

  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].points.empty()) continue;
    const std::string colour = detail::ramp(static_cast<int>(i), static_cast<int>(all.size()));
    svg.add("<path fill=\"none\" stroke-width=\"2\" stroke-linejoin=\"round\" stroke=\"", colour, "\" d=\"M");
    for (const series::point& point : all[i].points) svg.add(" ", across(point.x), " ", down(point.y));
    const series::point last = all[i].points.back();
    svg.add("\"/>\n<text font-family=\"system-ui,sans-serif\" font-size=\"13\" x=\"", across(last.x) + 8, "\" y=\"",
            down(last.y) + 4, "\" fill=\"", text_colour, "\">", detail::escaped(all[i].name), "</text>\n");
  }
  svg.add("</svg>\n");
  return svg.str();
}

}  // namespace heddle::inline v0::draw

#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <heddle/draw/detail/markup.hpp>
#include <heddle/draw/detail/palette.hpp>

namespace heddle::inline HEDDLE_ABI::draw {

/// A value with its name.
struct bar {
  std::string name;  // left of the bar
  double value;      // finite
};

/// How `bars` are drawn.
struct bars_options {
  std::string title = "";    // the text alternative of the picture
  std::string heading = "";  // above the bars
  double from = 0;           // the value at which bars begin: they are green to its right, orange to its left
  int decimals = 2;          // of the values beside the bars: 0 to 9
  int width = 200;           // pixels of the longest bars on both sides together: 10 to 65536
};

/// Draws values as bars from a line that they are compared with. Returns one self-contained SVG that looks the same on
/// light and on dark pages.
///
///   bars({{"8192", 1.038}, {"5000", 0.979}}, {.heading = "speed over cuBLAS", .from = 1})
///
///       speed over cuBLAS
///       8192      |██████  1.04
///       5000   ███|        0.98
///
/// **Preconditions**: values and `from` are finite; `decimals` and `width` are in their ranges. Others are refused.
///
/// **Example** (tests/draw/timeline.cpp):
///
///     const xml document(draw::bars({{"8192³", 1.5}, {"<b>", 0.75}, {"same", 1}},
///                                   {.title = "t", .heading = "speed", .from = 1, .decimals = 3, .width = 300}));
inline std::string bars(const std::vector<bar>& all, const bars_options& options = {}) {
  detail::require_at_least(10, "heddle::draw::bars: width", options.width);
  detail::require_at_most(1 << 16, "heddle::draw::bars: width", options.width);
  detail::require_at_least(0, "heddle::draw::bars: decimals", options.decimals);
  detail::require_at_most(9, "heddle::draw::bars: decimals", options.decimals);
  double low = detail::require_finite("heddle::draw::bars: isfinite(from)", options.from), high = low;
  long long longest_name = 0, longest_value = 0;
  for (const bar& each : all) {
    detail::require_finite("heddle::draw::bars: isfinite(value)", each.value);
    low = (std::min)(low, each.value);
    high = (std::max)(high, each.value);
    longest_name = (std::max)(longest_name, detail::characters(each.name));
    longest_value = (std::max)(longest_value, detail::characters(detail::rounded(each.value, options.decimals)));
  }
  constexpr long long top = 26, size = 18;
  const long long left = 10 + 8 * longest_name, right = 10 + 8 * longest_value;
  const long long width = (std::max)(left + options.width + right, 8 * detail::characters(options.heading)),
                  height = top + size * static_cast<long long>(all.size()) + 4;
  const double part =
      std::isfinite(high - low) ? 1 : 0.5;  // scales the numbers down if their difference would overflow
  const double range = high * part - low * part;
  const auto across = [&](double value) {
    return left + (range > 0 ? std::llround((value * part - low * part) / range * options.width) : 0);
  };

  detail::markup svg;
  svg.add(detail::open_svg(width, height, options.title));
  svg.add("<g font-family=\"system-ui,sans-serif\" font-size=\"13\" fill=\"#848d97\" text-anchor=\"end\">\n",
          "<text x=\"0\" y=\"14\" text-anchor=\"start\">", detail::escaped(options.heading), "</text>\n");
  long long y = top;
  for (const auto& [name, value] : all) {
    svg.add("<text x=\"", left - 8, "\" y=\"", y + 13, "\">", detail::escaped(name), "</text><text x=\"",
            left + options.width + right - 2, "\" y=\"", y + 13, "\">", detail::rounded(value, options.decimals),
            "</text>\n");
    const long long begin = across((std::min)(value, options.from)), end = across((std::max)(value, options.from));
    svg.add("<rect x=\"", begin, "\" y=\"", y + 1, "\" width=\"", end - begin, "\" height=\"", size - 2, "\" fill=\"",
            value < options.from ? detail::brings_both : detail::brings_col, "\"/>\n");
    y += size;
  }
  svg.add("</g>\n<path fill=\"none\" stroke=\"#848d97\" d=\"M", across(options.from), " ", top - 4, "V", height,
          "\"/>\n</svg>\n");
  return svg.str();
}

}  // namespace heddle::inline HEDDLE_ABI::draw

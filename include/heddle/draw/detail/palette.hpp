#pragma once

#include <cmath>
#include <cstdio>
#include <string>

#include <heddle/config.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace draw::detail {

// One set of colours serves light and dark pages: an SVG in an <img> learns the scheme of the system, which may differ
// from that of the page. Every colour stands out from white and from black, and `ink` can be read on each.

inline constexpr const char* ink = "#12181f";
inline constexpr const char* unlit = "stroke=\"#848d97\" stroke-opacity=\".22\"";

// After Okabe and Ito: the colours differ for colour-blind readers, too.
inline constexpr const char* brings_both = "#f0a020";
inline constexpr const char* brings_row = "#62b6ee";
inline constexpr const char* brings_col = "#2fbd92";
inline constexpr const char* brings_nothing = "#b1b8c0";

/// Colour `i` of `count`, from indigo through teal to gold. Lightness rises evenly, so that the sequence can be read
/// without its hues.
inline std::string ramp(long long i, long long count) {
  constexpr double pi = 3.14159265358979323846;
  // OKLCH to sRGB.
  const double position = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0.0;
  const double lightness = 0.64 + 0.22 * position, chroma = 0.125 + 0.025 * position;
  const double hue = (282 - 194 * position) * pi / 180;
  const double a = chroma * std::cos(hue), b = chroma * std::sin(hue);
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
  const auto channel = [](double linear) {
    const double c = linear < 0 ? 0 : linear > 1 ? 1 : linear;
    return static_cast<int>(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055) + 0.5);
  };
  char text[16];
  std::snprintf(text, sizeof text, "#%02x%02x%02x",
                channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) & 255,
                channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) & 255,
                channel(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s) & 255);
  return text;
}

}}}  // namespace heddle::HEDDLE_ABI::draw::detail

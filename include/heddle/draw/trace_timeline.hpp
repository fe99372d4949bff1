#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <heddle/draw/detail/markup.hpp>
#include <heddle/draw/detail/palette.hpp>
#include <heddle/trace/report.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace draw {

/// How the timeline of a trace is drawn.
struct trace_timeline_options {
  std::string title = "";    // the text alternative of the picture
  std::string heading = "";  // above the lanes
  int launch = -1;           // the one that is drawn; -1 draws all
  int width = 1000;          // pixels of the lanes: at least 100
  int height = 720;          // pixels of all lanes together: at least 100
};

namespace detail {

/// The least of 1, 2 and 5 times a power of ten that is not below a number above 0.
inline double round_step(double least) {
  double step = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {2.0, 2.5, 2.0}) {
    if (step >= least) break;
    step *= factor;
  }
  return step;
}

}  // namespace detail

/// Draws a trace: a lane per block that a multiprocessor runs at once, multiprocessors below each other, time to the
/// right. Returns one self-contained SVG that looks the same on light and on dark pages.
///
/// Tiles are coloured by their place in the order, from indigo to gold, and thousands are legible. A tile shows its
/// place if that fits. A dashed line is the end of the launch.
///
/// **Preconditions**: launch, width and height are in their ranges, and width and height at most 65536; no slice has
/// an index below 0. Others are refused.
///
/// **Example** (examples/trace/trace.cu):
///
///     picture << heddle::draw::timeline(report, {.title = "A trace of " + name, .heading = name, .launch = 1});
inline std::string timeline(const trace::report& of, const trace_timeline_options& options = {}) {
  detail::require_at_least(100, "heddle::draw::timeline: width", options.width);
  detail::require_at_most(65536, "heddle::draw::timeline: width", options.width);
  detail::require_at_least(100, "heddle::draw::timeline: height", options.height);
  detail::require_at_most(65536, "heddle::draw::timeline: height", options.height);
  detail::require_at_least(-1, "heddle::draw::timeline: launch", options.launch);
  detail::require_at_most(static_cast<long long>(of.launches.size()) - 1, "heddle::draw::timeline: launch",
                          options.launch);
  const auto is_drawn = [&](int launch) { return options.launch < 0 || launch == options.launch; };

  std::map<std::pair<int, int>, int> lanes;  // by multiprocessor and place
  double begin = 0, end = 0;
  bool is_empty = true;
  int highest = 0;
  for (const trace::report::block& each : of.blocks) {
    if (!is_drawn(each.launch)) continue;
    lanes[{each.sm, each.place}] = 0;
    begin = is_empty ? each.begin : (std::min)(begin, each.begin);
    end = is_empty ? each.end : (std::max)(end, each.end);
    is_empty = false;
  }
  for (const trace::report::slice& each : of.slices) {
    detail::require_at_least(0, "heddle::draw::timeline: the index of a slice", each.index);
    if (is_drawn(each.launch)) highest = (std::max)(highest, each.index);
  }
  int count = 0;
  for (auto& [where, lane] : lanes) lane = count++;

  constexpr long long left = 60, top = 26, below = 26;
  const double lane_height = count > 0 ? (std::min)(24.0, 1.0 * options.height / count) : 0;
  const double scale = end > begin ? options.width / (end - begin) : 0;
  const auto bottom = top + static_cast<long long>(std::ceil(lane_height * count));
  const auto pixels = [](double value) { return detail::rounded(value, 2); };
  const auto x_of = [&](double time) { return static_cast<double>(left) + (time - begin) * scale; };
  const auto y_of = [&](int lane) { return static_cast<double>(top) + lane_height * (lane + 0.5); };

  detail::markup svg;
  svg.add(detail::open_svg(left + options.width + 30, bottom + below, options.title));
  svg.add("<g font-family=\"system-ui,sans-serif\" font-size=\"13\" fill=\"#848d97\">\n<text x=\"", left,
          "\" y=\"14\">", detail::escaped(options.heading), "</text>\n<g font-size=\"11\" text-anchor=\"end\">\n");
  double labelled = 0;  // down to here there are labels of multiprocessors
  for (const auto& [where, lane] : lanes) {
    if (where.second != 0 || y_of(lane) < labelled) continue;
    svg.add("<text x=\"", left - 6, "\" y=\"", pixels(y_of(lane) + 4), "\">SM ", where.first, "</text>\n");
    labelled = y_of(lane) + 13;
  }
  svg.add("</g>\n<g font-size=\"11\" text-anchor=\"middle\">\n");
  if (scale > 0) {
    const double step = detail::round_step((end - begin) / 8);
    const int decimals = step >= 1000 ? 0 : 3;
    for (double time = 0; time <= end - begin; time += step) {
      svg.add("<text x=\"", pixels(x_of(begin + time)), "\" y=\"", bottom + 18, "\">",
              detail::rounded(time * 1e-3, decimals), " µs</text>\n");
    }
  }
  svg.add("</g>\n</g>\n<path fill=\"none\" stroke-width=\"", pixels(lane_height * 0.9), "\" ", detail::unlit, " d=\"");
  for (int lane = 0; lane < count; ++lane) svg.add("M", left, " ", pixels(y_of(lane)), "h", options.width);
  svg.add("\"/>\n");

  constexpr int colours = 64;  // one path for each, which keeps the picture small
  std::vector<detail::markup> paths(colours);
  detail::markup texts;
  for (const trace::report::slice& each : of.slices) {
    if (!is_drawn(each.launch)) continue;
    const auto at = lanes.find({each.sm, each.place});
    if (at == lanes.end()) continue;
    const double wide = (each.end - each.begin) * scale, gap = wide > 2 ? 0.5 : 0;
    const auto colour = static_cast<std::size_t>(1LL * each.index * (colours - 1) / (std::max)(1, highest));
    paths[colour].add("M", pixels(x_of(each.begin)), " ", pixels(y_of(at->second)), "h",
                      pixels((std::max)(wide - gap, 0.1)));
    const std::string text = std::to_string(each.index);
    if (lane_height >= 11 && 6 * static_cast<double>(text.size()) + 2 <= wide) {
      texts.add("<text x=\"", pixels(x_of(each.begin) + wide / 2), "\" y=\"", pixels(y_of(at->second) + 3.5), "\">",
                text, "</text>\n");
    }
  }
  for (std::size_t colour = 0; colour < paths.size(); ++colour) {
    if (paths[colour].empty()) continue;
    svg.add("<path fill=\"none\" stroke-width=\"", pixels(lane_height * 0.9), "\" stroke=\"",
            detail::ramp(static_cast<long long>(colour), colours), "\" d=\"", paths[colour].str(), "\"/>\n");
  }
  svg.add("<g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,monospace\" font-size=\"10\" ",
          "text-anchor=\"middle\" fill=\"", detail::ink, "\">\n", texts.str(), "</g>\n");
  for (const trace::report::launch& each : of.launches) {
    if (!is_drawn(static_cast<int>(&each - of.launches.data()))) continue;
    svg.add("<path fill=\"none\" stroke=\"#848d97\" stroke-dasharray=\"4 3\" d=\"M", pixels(x_of(each.end)), " ",
            top - 6, "V", bottom + 6, "\"/>\n");
  }
  svg.add("</svg>\n");
  return svg.str();
}

}}}  // namespace heddle::HEDDLE_ABI::draw

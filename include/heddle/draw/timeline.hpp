#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <heddle/draw/detail/markup.hpp>
#include <heddle/draw/detail/palette.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace draw {

/// The work of one worker, such as a block.
struct lane {
  /// A piece of work.
  struct stretch {
    int begin, end;  // ticks
    int number;      // of the piece: its colour and its text; -1 is grey and has no text
  };
  std::string name;                // left of the lane
  std::vector<stretch> stretches;  // in the order of time
};

/// How a `timeline` is drawn.
struct timeline_options {
  std::string title = "";    // the text alternative of the picture
  std::string heading = "";  // above the lanes
  int end = 0;               // the last tick that is shown, if the lanes end earlier
  int tick = 8;              // pixels: at least 1
  int lane_height = 20;      // pixels: at least 6
};

/// Draws which worker does which work when: a lane per worker, time to the right. Returns one self-contained SVG that
/// looks the same on light and on dark pages.
///
///   timeline({{"block 0", {{0, 3, 0}, {3, 5, 2}}}, {"block 1", {{0, 4, 1}}}})
///
///       block 0  [  0  ][ 2 ]
///       block 1  [   1   ]  :
///
/// Pieces with near numbers have near colours. A piece shows its number if it fits. A dashed line is the end of all
/// work.
///
/// **Preconditions**: stretches of a lane are in the order of time and do not overlap. Others are refused.
///
/// **Example** (tests/draw/timeline.cpp):
///
///     CHECK(xml(draw::timeline({{"idle", {}}, {"short", {{2, 2, 0}}}})).error == "");
inline std::string timeline(const std::vector<lane>& lanes, const timeline_options& options = {}) {
  detail::require_at_least(1, "heddle::draw::timeline: tick", options.tick);
  detail::require_at_least(6, "heddle::draw::timeline: lane_height", options.lane_height);
  int done = 0;
  long long highest = 0, longest_name = 0;
  for (const lane& each : lanes) {
    longest_name = (std::max)(longest_name, detail::characters(each.name));
    int before = 0;
    for (const lane::stretch& work : each.stretches) {
      detail::require_at_least(before, "heddle::draw::timeline: begin", work.begin);
      detail::require_at_least(work.begin, "heddle::draw::timeline: end", work.end);
      before = work.end;
      highest = (std::max)(highest, 1LL * work.number);
    }
    done = (std::max)(done, before);
  }

  constexpr long long top = 26;
  const long long size = options.lane_height, count = static_cast<long long>(lanes.size()), tick = options.tick;
  const long long left = 10 + 8 * longest_name, width = (std::max)(done, options.end) * tick;
  const auto down = [&](long long i) { return std::to_string(top + i * size); };

  detail::markup svg;
  svg.add(detail::open_svg(left + width + 2, top + count * size + 6, options.title));
  svg.add("<g font-family=\"system-ui,sans-serif\" font-size=\"13\" fill=\"#848d97\">\n<text x=\"", left,
          "\" y=\"14\">", detail::escaped(options.heading), "</text>\n<g text-anchor=\"end\">\n");
  for (long long i = 0; i < count; ++i) {
    svg.add("<text x=\"", left - 6, "\" y=\"", top + i * size + size / 2 + 4, "\">",
            detail::escaped(lanes[static_cast<std::size_t>(i)].name), "</text>\n");
  }
  svg.add("</g>\n</g>\n<path fill=\"none\" stroke-width=\"", size - 1, "\" ", detail::unlit, " transform=\"translate(",
          left, " ", detail::half(size - 1), ")\" d=\"");
  for (long long i = 0; i < count; ++i) svg.add("M0 ", down(i), "h", width);
  svg.add("\"/>\n<g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,monospace\" font-size=\"10\" ",
          "text-anchor=\"middle\">\n");
  for (long long i = 0; i < count; ++i) {
    for (const auto& [begin, end, number] : lanes[static_cast<std::size_t>(i)].stretches) {
      const long long x = left + begin * tick, wide = (end - begin) * tick - 1;
      if (wide < 1) continue;
      svg.add("<rect x=\"", x, "\" y=\"", down(i), "\" width=\"", wide, "\" height=\"", size - 1, "\" fill=\"",
              number < 0 ? detail::brings_nothing : detail::ramp(number, highest + 1), "\"/>");
      const std::string text = number < 0 ? "" : std::to_string(number);
      if (!text.empty() && size >= 12 && 6 * static_cast<long long>(text.size()) + 1 <= wide) {
        svg.add("<text x=\"", x + wide / 2, "\" y=\"", top + i * size + size / 2 + 3, "\" fill=\"", detail::ink, "\">",
                text, "</text>");
      }
      svg.add("\n");
    }
  }
  svg.add("</g>\n<path fill=\"none\" stroke=\"#848d97\" stroke-dasharray=\"4 3\" d=\"M", left + done * tick, " ",
          top - 6, "V", top + count * size + 6, "\"/>\n</svg>\n");
  return svg.str();
}

}}}  // namespace heddle::HEDDLE_ABI::draw

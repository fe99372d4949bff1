#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <heddle/draw/detail/markup.hpp>
#include <heddle/draw/detail/palette.hpp>

namespace heddle::inline HEDDLE_ABI::draw {

/// What one worker does: what it is called, and its pieces of work, each from one tick to another.
struct lane {
  struct stretch {
    int begin, end;
    int number;  // which piece of work it is; -1 for what is none, in grey
  };
  std::string name;
  std::vector<stretch> stretches;
};

struct timeline_options {
  std::string title = "";    // for those who cannot see it
  std::string heading = "";  // above the lanes
  int end = 0;               // the last tick shown; 0: where the last lane ends
  int tick = 8;              // pixels
  int lane_height = 20;      // pixels
};

/// Who does what when: a lane for each worker, time to the right, and the number of a piece of work where there is room
/// for it. Pieces whose numbers are near have colours that are near. A dashed line says when all is done.
///
///   timeline({{"block 0", {{0, 3, 0}, {3, 5, 2}}}, {"block 1", {{0, 4, 1}}}})
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

}  // namespace heddle::inline HEDDLE_ABI::draw

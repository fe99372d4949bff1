#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/draw/detail/shapes.hpp>
#include <heddle/draw/detail/sheet.hpp>
#include <heddle/draw/detail/svg_stripes.hpp>
#include <heddle/draw/detail/svg_turns.hpp>

namespace heddle { inline namespace HEDDLE_ABI { namespace draw {

/// How `svg` draws an order.
struct svg_options {
  int wave = 0;                // how many blocks run at a time and share a colour; 0 gives each index its own
  bool animated = false;       // the waves light up one after another
  bool first_touches = false;  // a tile's colour says which stripes it is the first of its wave to need
  bool numbers = true;         // the index of each tile, if it fits
  bool path = false;           // a line from each tile to the next, thin if the next is no neighbour
  int tile_size = 28;          // pixels: 2 to 1000
  std::string title = "";      // the text alternative of the picture; also a tooltip
};

/// Draws an order of an `extent`, of a `triangle`, of a `batch` of either, or of `groups`. Returns one self-contained
/// SVG that looks the same on light and on dark pages.
///
///   svg(cta_swizzle{{8, 12}, 4}, {.wave = 16, .animated = true})
///
/// A triangle has its own tiles only, in their places of its grid. A batch has its planes side by side, each with a
/// caption, and so have groups, which the host prepares (`grouped::on_host`); waves go on from plane to plane.
///
/// Several such pictures may stand in one HTML page: their style rules do not clash. An animated picture stands still
/// under `prefers-reduced-motion`.
///
/// First touches are those of a matrix product: a row of tiles needs a stripe of A, a column of tiles needs a stripe of
/// B. Each plane of a batch, and each group, has stripes of its own.
///
///   orange   the first tile of its wave in its row and in its column: it fetches both stripes
///   blue     the first in its row: it fetches the stripe of A
///   green    the first in its column: it fetches the stripe of B
///   grey     finds both
///
/// The margins count how often each stripe is fetched if nothing survives from wave to wave. The corner is their sum.
///
/// **Preconditions**: `wave` is at least 0, and at least 1 for an animation; `tile_size` is from 2 to 1000. Others are
/// refused. An order of clusters, or of another space, is a compile error.
///
/// **Cost**: less than 15 KB for a curve over 16 x 16 tiles with numbers, and less than 600 KB for one over 512 x 1024
/// in waves without numbers (tests/draw/svg.cpp).
///
/// **Example** (tests/draw/svg.cpp):
///
///     const cta_swizzle order{{7, 9}, 4, axis::x};
///     const xml document(draw::svg(order, {.wave = 10}));
template <space_order Order>
std::string svg(const Order& order, const svg_options& options = {}) {
  static_assert(!cluster_order<Order>,
                "heddle::draw::svg: an order of clusters has no picture of its tiles. Draw the "
                "order that clustered{order, cluster, grid} was given");
  using space_type = space_of<Order>;
  static_assert(detail::has_picture<space_type>,
                "heddle::draw::svg: the order's space has no picture. Orders of an extent, of a triangle, of a "
                "batch of either, and of groups can be drawn");
  detail::require_at_least(0, "heddle::draw::svg: wave", options.wave);
  detail::require_at_least(options.animated ? 1 : 0, "heddle::draw::svg: wave of an animation", options.wave);
  detail::require_at_least(2, "heddle::draw::svg: tile_size", options.tile_size);
  detail::require_at_most(1000, "heddle::draw::svg: tile_size", options.tile_size);

  const space_type space = order.space();
  const int size = options.tile_size, tiles = order.size();
  const int wave = options.wave > 0 ? options.wave : tiles > 0 ? tiles : 1;
  const int waves = tiles / wave + (tiles % wave > 0);
  const bool has_margins = options.first_touches && tiles > 0;
  const detail::sheet sheet(space, size, has_margins);
  const auto place = [&](int i) { return sheet(order(i)); };
  const detail::turns turns(waves);
  detail::markup text;

  const auto each_wave = [&](const auto& draw) {
    for (int w = 0; w < waves; ++w) {
      const int begin = w * wave, end = tiles - begin < wave ? tiles : begin + wave;
      if (options.animated) text.add(turns.open(w));
      draw(w, begin, end);
      if (options.animated) text.add("</g>\n");
    }
  };
  // Paths and numbers are drawn in one piece, unless waves appear one after another.
  const auto each_turn = [&](const auto& draw) {
    options.animated ? each_wave([&](int, int begin, int end) { draw(begin, end); }) : draw(0, tiles);
  };

  text.add(detail::open_svg(sheet.cols() * size, sheet.rows() * size, options.title));
  if (options.animated && tiles > 0) text.add(turns.style());
  if (has_margins) text.add("<g transform=\"translate(", size, " ", size, ")\">\n");

  text.add(sheet.captions());

  if (options.animated) {
    std::vector<coord> all;
    for (int n = 0; n < space.size(); ++n) all.push_back(sheet(space.tile(n)));
    text.add(detail::open_tiles(size), detail::empty_tiles(all, size), "</g>\n");
  }
  if (options.first_touches) {
    detail::stripes stripes(space, sheet);
    each_wave([&](int, int begin, int end) { text.add(stripes.draw_wave(order, begin, end, size)); });
    text.add(stripes.draw_margins(size));
  } else {
    text.add(detail::open_tiles(size));
    each_wave([&](int w, int begin, int end) {
      const int shades = options.wave > 0 ? 1 : end - begin < 64 ? end - begin : 64;
      int i = begin;
      for (int shade = 0; shade < shades; ++shade) {
        std::vector<coord> alike;
        for (; 1LL * (i - begin) * shades / (end - begin) == shade && i < end; ++i) alike.push_back(place(i));
        text.add(detail::tiles(shades > 1 ? detail::ramp(shade, shades) : detail::ramp(w, waves), alike, size));
      }
    });
    text.add("</g>\n");
  }

  if (options.path && tiles > 0) {
    each_turn([&](int begin, int end) { text.add(detail::steps(place, begin, end, size)); });
  }
  // A path runs through the middle of tiles: numbers go below it and to its right.
  const int digits = static_cast<int>(std::to_string(tiles - 1).size());
  const int limit = options.path ? (std::min)(size * 3 / 10, (size / 2 - 2) * 5 / 3 / digits) : size * 2 / 5;
  const int font = detail::font_size(size, digits, limit);
  if (options.numbers && font > 0 && tiles > 0) {
    const std::string middle = detail::half(size - detail::gap(size)), corner = std::to_string(size - 3);
    text.add(options.path ? detail::open_numbers(font, corner, corner, "end")
                          : detail::open_numbers(font, middle, detail::baseline(size, font), "middle"));
    each_turn([&](int begin, int end) {
      for (int i = begin; i < end; ++i) text.add(detail::number(place(i), i, size));
    });
    text.add("</g>\n");
  }

  text.add(has_margins ? "</g>\n</svg>\n" : "</svg>\n");
  return text.str();
}

}}}  // namespace heddle::HEDDLE_ABI::draw

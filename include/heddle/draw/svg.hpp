#pragma once

#include <string>
#include <vector>

#include <heddle/concepts.hpp>
#include <heddle/draw/detail/markup.hpp>
#include <heddle/draw/detail/palette.hpp>

namespace heddle::inline v0::draw {

struct svg_options {
  int wave = 0;                // blocks that run at the same time share a colour; 0: a colour for each index
  bool animated = false;       // the waves light up one after another
  bool first_touches = false;  // colours say which tiles bring a row or a column that their wave had not yet
  bool numbers = true;         // the index of each tile
  bool path = false;           // a line from each tile to the next, thin where the next is no neighbour
  int tile_size = 28;          // pixels
  std::string title = "";      // for those who cannot see it; also a tooltip
};

/// An order as a picture: one self-contained SVG, the same on light and dark pages, with nothing in it that
/// could clash with another picture on the same page.
///
///   svg(cta_swizzle{{8, 12}, 4}, {.wave = 16, .animated = true})
///
/// First touches are those of a matrix product: a row of tiles needs a stripe of A, a column one of B. In
/// orange are the tiles of a wave that bring both, in blue a row, in green a column; what is grey finds both.
template <grid_order Order>
std::string svg(const Order& order, const svg_options& options = {}) {
  detail::require_at_least(0, "heddle::draw::svg: wave", options.wave);
  detail::require_at_least(options.animated ? 1 : 0, "heddle::draw::svg: wave of an animation", options.wave);
  detail::require_at_least(2, "heddle::draw::svg: tile_size", options.tile_size);
  detail::require_at_most(1000, "heddle::draw::svg: tile_size", options.tile_size);

  const extent grid = order.grid();
  const int size = options.tile_size, wave = options.wave > 0 ? options.wave : (order.size() > 0 ? order.size() : 1);
  detail::markup text;
  text.add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", 1LL * grid.cols * size, " ",
           1LL * grid.rows * size, "\" width=\"", 1LL * grid.cols * size, "\" height=\"", 1LL * grid.rows * size,
           "\" role=\"img\">\n");
  if (!options.title.empty()) text.add("<title>", detail::escaped(options.title), "</title>\n");

  // Tiles of a colour are one path, and neighbours in a row of it one rectangle.
  const int waves = (order.size() + wave - 1) / wave;
  for (int w = 0; w < waves; ++w) {
    const int begin = w * wave, end = order.size() - begin < wave ? order.size() : begin + wave;
    if (options.animated) text.add("<g opacity=\"1\">", detail::lit_in_turn(w, waves), "\n");
    std::vector<std::vector<coord>> colours;
    std::vector<std::string> names;
    if (options.first_touches) {
      colours = detail::by_first_touch(order, begin, end);
      names = {"#f08c3a", "#5b9cf0", "#4fb477", "#b4bac2"};
    } else if (options.wave > 0) {
      colours.resize(1);
      for (int i = begin; i < end; ++i) colours[0].push_back(order(i));
      names = {detail::ramp(w, waves)};
    } else {
      const int shades = order.size() < 64 ? order.size() : 64;
      colours.resize(static_cast<unsigned>(shades));
      for (int i = begin; i < end; ++i) {
        colours[static_cast<unsigned>(1LL * i * shades / order.size())].push_back(order(i));
      }
      for (int shade = 0; shade < shades; ++shade) names.push_back(detail::ramp(shade, shades));
    }
    for (unsigned colour = 0; colour < colours.size(); ++colour) {
      if (!colours[colour].empty()) {
        text.add("<path fill=\"", names[colour], "\" d=\"", detail::rectangles(colours[colour], size), "\"/>\n");
      }
    }
    if (options.animated) text.add(options.numbers ? detail::numbers(order, begin, end, size) : "", "</g>\n");
  }

  if (options.path) text.add(detail::steps(order, size));
  if (options.numbers && !options.animated) text.add(detail::numbers(order, 0, order.size(), size));
  text.add("</svg>\n");
  return text.str();
}

}  // namespace heddle::inline v0::draw

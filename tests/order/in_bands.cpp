// A block's place in bands is the tile of the typed order, whose law is checked beside this one, on every grid.

#include <random>
#include <vector>

#include <heddle/laws/check_order.hpp>

#include "every_grid.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

/// A walk of bands as an order of a grid: the inverse is that of the typed order.
template <class Order>
struct walked {
  band_walk by;
  Order typed;

  extent space() const { return typed.space(); }
  int size() const { return typed.size(); }
  coord operator()(int i) const { return by.tile(space().rows, space().cols, i); }
  int index(coord tile) const { return typed.index(tile); }
};

/// Calls f(walk as an order) for both directions of both kinds of bands.
template <class F>
void each_walk(extent grid, int width, axis axis, const F& f) {
  const thread_group_tiling plain{grid, width, axis};
  const cta_swizzle serpentine{grid, width, axis};
  f(walked<thread_group_tiling>{{width, axis}, plain});
  f(walked<cta_swizzle>{{.width = width, .axis = axis, .serpentine = true}, serpentine});
  f(walked<reversed<thread_group_tiling>>{{.width = width, .axis = axis, .reversed = true}, reversed{plain}});
  f(walked<reversed<cta_swizzle>>{{width, axis, true, true}, reversed{serpentine}});
}

template <class Verdict, class Walk>
std::string said(const Verdict& verdict, const Walk& walk) {
  return verdict ? "" : verdict.failure + ", width " + std::to_string(walk.by.width);
}

/// Numbers the tiles by going through the bands in nested loops.
std::vector<coord> by_loops(int rows, int cols, const band_walk& by) {
  std::vector<coord> tiles;
  const int breadth = by.axis == axis::x ? cols : rows, length = by.axis == axis::x ? rows : cols;
  bool backwards = false;
  for (int first = 0; first < breadth; first += by.width, backwards = by.serpentine && !backwards) {
    for (int line = 0; line < length; ++line) {
      for (int across = first; across < std::min(first + by.width, breadth); ++across) {
        const int along = backwards ? length - 1 - line : line;
        tiles.push_back(by.axis == axis::x ? coord{along, across} : coord{across, along});
      }
    }
  }
  if (by.reversed) std::reverse(tiles.begin(), tiles.end());
  return tiles;
}

}  // namespace

TEST_CASE("The walk in the comment of in_bands is what it says", "[order]") {
  constexpr band_walk walk{.width = 2, .serpentine = true};
  static_assert(walk.tile(/*rows*/ 3, /*cols*/ 4, /*i*/ 6) == coord{2, 2});  // the second band begins below
  CHECK(band_walk{2}.tile(3, 5, 10) == coord{2, 2});
}

TEST_CASE("A walk of bands visits every tile of every grid up to 33x33 once, as the typed order does", "[order]") {
  on_every_grid(33, 33, [](extent grid) {
    std::string failure;
    for (const int width : {1, 2, 3, 4, 5, 7, 8, 16, 17, 32, 33, 34, 1000, 0x7fffffff}) {
      for (const axis axis : {axis::x, axis::y}) {
        each_walk(grid, width, axis, [&](const auto& walk) {
          if (failure.empty()) failure = said(laws::check_order(walk), walk);
        });
      }
    }
    return failure;
  });
}

TEST_CASE("A walk of bands is what nested loops make", "[order]") {
  on_every_grid(20, 20, [](extent grid) {
    for (int width = 1; width <= 21; ++width) {
      for (int kind = 0; kind < 8; ++kind) {
        const band_walk by{width, kind & 1 ? axis::x : axis::y, (kind & 2) != 0, (kind & 4) != 0};
        const std::vector<coord> tiles = by_loops(grid.rows, grid.cols, by);
        for (int i = 0; i < grid.size(); ++i) {
          if (!(by.tile(grid.rows, grid.cols, i) == tiles[static_cast<std::size_t>(i)])) {
            return "another tile at " + std::to_string(i) + ", width " + std::to_string(width);
          }
        }
      }
    }
    return std::string();
  });
}

TEST_CASE("A walk of bands in clusters is the typed order of whole clusters on every grid up to 12x12 of them",
          "[order]") {
  for (const extent cluster : {extent{1, 2}, extent{2, 1}, extent{2, 2}, extent{3, 4}, extent{8, 1}}) {
    on_every_grid(12, 12, [&](extent clusters) {
      const extent grid{clusters.rows * cluster.rows, clusters.cols * cluster.cols};
      std::string failure;
      for (const int width : {1, 2, 3, 5, 13}) {
        for (const axis axis : {axis::x, axis::y}) {
          const int in_blocks = width * (axis == axis::x ? cluster.cols : cluster.rows);
          each_walk(clusters, width, axis, [&](auto walk) {
            walk.by.width = in_blocks;
            const clustered typed{walk.typed, cluster, grid};
            for (int number = 0; number < grid.size(); ++number) {
              const int i = number / cluster.size(), block = number % cluster.size();
              const coord tile = walk.by.tile(clusters.rows, clusters.cols, i, {cluster.rows, cluster.cols},
                                              {block / cluster.cols, block % cluster.cols});
              if (!(tile == typed.tile(i, block))) failure = "another tile, width " + std::to_string(in_blocks);
            }
          });
        }
      }
      return failure;
    });
  }
}

TEST_CASE("A walk of bands is the typed order at random on grids of up to 2^31-1 blocks", "[order]") {
  std::mt19937 random(20240229);
  const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  for (int turn = 0; turn < 3000; ++turn) {
    const int rows = 1 + below(1u << random() % 31), most = 0x7fffffff / rows;
    const int cols = turn % 2 ? most : 1 + below(static_cast<unsigned>(most));
    const int width = turn % 3 == 0 ? 1 + below(100) : 1 + below(1u << random() % 31);
    CAPTURE(rows, cols, width);
    each_walk({rows, cols}, width, turn % 4 < 2 ? axis::x : axis::y, [&](const auto& walk) {
      int others = 0;
      for (int probe = 0; probe < 20; ++probe) {
        const int i = probe == 0 ? 0 : probe == 1 ? walk.size() - 1 : below(static_cast<unsigned>(walk.size()));
        others += !(walk(i) == walk.typed(i)) || walk.index(walk(i)) != i;
      }
      REQUIRE(others == 0);
    });
  }
}

// The distances between consecutive tiles, which make one order better than another.

#include "every_grid.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

int rows_apart(coord a, coord b) {
  return std::abs(a.row - b.row);
}
int cols_apart(coord a, coord b) {
  return std::abs(a.col - b.col);
}

}  // namespace

TEST_CASE("hilbert makes at most one step that is not to an edge neighbour and that one is diagonal", "[order]") {
  on_every_grid(72, 72, [](extent grid) -> std::string {
    const hilbert order{grid};
    int diagonals = 0;
    coord before{}, tile = order(0);
    for (int i = 1; i < order.size(); ++i) {
      before = tile, tile = order(i);
      const int rows = rows_apart(before, tile), cols = cols_apart(before, tile);
      if (rows + cols == 1) continue;
      if (rows != 1 || cols != 1) return "a jump at " + std::to_string(i);
      if (++diagonals > 1) return "a second diagonal at " + std::to_string(i);
    }
    return "";
  });
}

TEST_CASE("Bands keep every tile within width columns of the one before and step down one row at a time", "[order]") {
  on_every_grid(48, 48, [](extent grid) -> std::string {
    for (const int width : {1, 2, 3, 7, 16, 17}) {
      const thread_group_tiling tiling{grid, width, axis::x};
      const cta_swizzle swizzle{grid, width, axis::x};
      for (int i = 1; i < tiling.size(); ++i) {
        const bool new_band = tiling(i - 1).col / width != tiling(i).col / width;
        const std::string where = " at " + std::to_string(i) + ", width " + std::to_string(width);
        if (!new_band && rows_apart(tiling(i - 1), tiling(i)) > 1) return "tiling jumps rows" + where;
        if (!new_band && cols_apart(tiling(i - 1), tiling(i)) >= std::max(2, width)) return "tiling jumps cols" + where;
        if (new_band && (tiling(i).row != 0 || tiling(i - 1).row != grid.rows - 1))
          return "tiling leaves early" + where;
        if (rows_apart(swizzle(i - 1), swizzle(i)) > 1) return "swizzle jumps rows" + where;
        if (cols_apart(swizzle(i - 1), swizzle(i)) >= std::max(2, width)) return "swizzle jumps cols" + where;
        if (new_band && rows_apart(swizzle(i - 1), swizzle(i)) + cols_apart(swizzle(i - 1), swizzle(i)) != 1) {
          return "swizzle changes band by more than a step" + where;
        }
      }
    }
    return "";
  });
}

TEST_CASE("dilated makes steps of exactly one step within a line of a strip", "[order]") {
  on_every_grid(24, 24, [](extent grid) -> std::string {
    const extent step{3, 4};
    const dilated order{grid, step, 3};
    for (int i = 1; i < order.size(); ++i) {
      const coord a = order(i - 1), b = order(i);
      const bool same_class = a.row % 3 == b.row % 3 && a.col % 4 == b.col % 4;
      const bool same_strip = same_class && a.col / 4 / 3 == b.col / 4 / 3;
      if (same_strip && a.row == b.row && b.col - a.col != 4) return "at " + std::to_string(i);
      if (same_strip && a.row != b.row && b.row - a.row != 3) return "rows at " + std::to_string(i);
    }
    return "";
  });
}

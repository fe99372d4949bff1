// Compares each order with a second way to compute it, which shares no code with the first.

#include "every_grid.hpp"

using namespace heddle;
using namespace heddle_test;

namespace {

/// The thread-group-tiling routine as published for shaders, with its own names: `x` and `y` are the size of the
/// dispatch grid, `n` is the number of groups along x in a tile, `flat` is the flattened group id.
coord published_tiling(unsigned x, unsigned y, unsigned n, unsigned flat) {
  const unsigned perfect_tile = n * y;
  const unsigned perfect_tiles = x / n;
  const unsigned in_perfect_tiles = perfect_tiles * n * y - 1;  // wraps round without a perfect tile
  const unsigned tile = flat / perfect_tile;
  const unsigned local = flat % perfect_tile;
  unsigned local_x, local_y;
  if (in_perfect_tiles < flat) {
    const unsigned last_width = x % n;
    local_y = local / last_width;
    local_x = local % last_width;
  } else {
    local_y = local / n;
    local_x = local % n;
  }
  const unsigned swizzled = tile * n + local_y * x + local_x;
  return {static_cast<int>(swizzled / x), static_cast<int>(swizzled % x)};
}

template <class Order, class Oracle>
std::string differs(const Order& order, const Oracle& oracle) {
  for (int i = 0; i < order.size(); ++i) {
    const coord ours = order(i), theirs = oracle(i);
    if (!(ours == theirs)) {
      return "at " + std::to_string(i) + " " + std::to_string(ours.row) + " " + std::to_string(ours.col) +
             " instead of " + std::to_string(theirs.row) + " " + std::to_string(theirs.col);
    }
  }
  return "";
}

int sign(int n) {
  return (n > 0) - (n < 0);
}

/// Makes a generalised Hilbert curve by recursion on vectors: a is the direction and the length of travel, b the other
/// side.
void recursive_curve(int x, int y, int ax, int ay, int bx, int by, std::vector<coord>& path) {
  const int length = std::abs(ax + ay), height = std::abs(bx + by);
  const int dax = sign(ax), day = sign(ay), dbx = sign(bx), dby = sign(by);
  if (height == 1 || length == 1) {
    const int steps = std::max(length, height), dx = height == 1 ? dax : dbx, dy = height == 1 ? day : dby;
    for (int i = 0; i < steps; ++i) path.push_back({y + i * dy, x + i * dx});
    return;
  }
  int half_ax = ax / 2, half_ay = ay / 2, half_bx = bx / 2, half_by = by / 2;
  const int half_length = std::abs(half_ax + half_ay), half_height = std::abs(half_bx + half_by);
  if (2 * length > 3 * height) {
    if (half_length % 2 == 1) half_ax += dax, half_ay += day;
    recursive_curve(x, y, half_ax, half_ay, bx, by, path);
    recursive_curve(x + half_ax, y + half_ay, ax - half_ax, ay - half_ay, bx, by, path);
    return;
  }
  if (half_height % 2 == 1 && height > 2) half_bx += dbx, half_by += dby;
  recursive_curve(x, y, half_bx, half_by, half_ax, half_ay, path);
  recursive_curve(x + half_bx, y + half_by, ax, ay, bx - half_bx, by - half_by, path);
  recursive_curve(x + (ax - dax) + (half_bx - dbx), y + (ay - day) + (half_by - dby), -half_bx, -half_by,
                  -(ax - half_ax), -(ay - half_ay), path);
}

std::uint64_t interleaved(coord tile) {
  std::uint64_t code = 0;
  for (int bit = 0; bit < 31; ++bit) {
    code |= static_cast<std::uint64_t>(tile.col >> bit & 1) << (2 * bit);
    code |= static_cast<std::uint64_t>(tile.row >> bit & 1) << (2 * bit + 1);
  }
  return code;
}

std::vector<coord> all_tiles(extent grid) {
  std::vector<coord> tiles;
  for (int row = 0; row < grid.rows; ++row) {
    for (int col = 0; col < grid.cols; ++col) tiles.push_back({row, col});
  }
  return tiles;
}

}  // namespace

TEST_CASE("thread_group_tiling is the published routine wherever that is correct", "[order]") {
  on_every_grid(40, 40, [](extent grid) {
    for (int width = 1; width <= std::min(17, grid.cols); ++width) {
      std::string failure = differs(thread_group_tiling{grid, width, axis::x},
                                    [&](int i) { return published_tiling(grid.cols, grid.rows, width, i); });
      if (!failure.empty()) return failure + ", width " + std::to_string(width);
      failure = differs(thread_group_tiling{{grid.cols, grid.rows}, width, axis::y}, [&](int i) {
        const coord turned = published_tiling(grid.cols, grid.rows, width, i);
        return coord{turned.col, turned.row};
      });
      if (!failure.empty()) return failure + ", axis y, width " + std::to_string(width);
    }
    return std::string();
  });
}

TEST_CASE("The published routine is wrong on a grid narrower than the band that has more tiles than columns",
          "[order]") {
  // Without a perfect tile the number of groups in perfect tiles wraps round, and the routine never recognises the
  // short last tile: it walks rows of width `n`.
  const extent grid{4, 3};
  std::vector<char> visited(12, 0);
  int twice_or_outside = 0;
  for (int i = 0; i < 12; ++i) {
    const auto [row, col] = published_tiling(3, 4, 8, i);
    if (row >= grid.rows || visited[row * 3 + col]++) ++twice_or_outside;
  }
  CHECK(twice_or_outside > 0);
  CHECK(broken(thread_group_tiling{grid, 8, axis::x}, grid) == "");
  CHECK(differs(thread_group_tiling{grid, 8, axis::x}, row_major{grid}) == "");
}

TEST_CASE("A band as wide as the grid is raster", "[order]") {
  on_every_grid(40, 40, [](extent grid) {
    for (const int width : {grid.cols, grid.cols + 1, 1 << 30, 0x7fffffff}) {
      if (!differs(thread_group_tiling{grid, width, axis::x}, row_major{grid}).empty()) return "x tiling";
      if (!differs(cta_swizzle{grid, width, axis::x}, row_major{grid}).empty()) return "x swizzle";
    }
    for (const int width : {grid.rows, grid.rows + 1, 0x7fffffff}) {
      if (!differs(thread_group_tiling{grid, width, axis::y}, column_major{grid}).empty()) return "y tiling";
      if (!differs(cta_swizzle{grid, width, axis::y}, column_major{grid}).empty()) return "y swizzle";
    }
    return "";
  });
}

TEST_CASE("cta_swizzle is thread_group_tiling with every other band upside down", "[order]") {
  on_every_grid(40, 40, [](extent grid) {
    for (int width = 1; width <= 17; ++width) {
      const thread_group_tiling bands{grid, width, axis::x};
      std::vector<coord> serpentine;
      for (int i = 0; i < bands.size(); ++i) {
        const auto [row, col] = bands(i);
        serpentine.push_back({col / width % 2 == 1 ? grid.rows - 1 - row : row, col});
      }
      const auto oracle = [&](int i) { return serpentine[i]; };
      if (std::string failure = differs(cta_swizzle{grid, width, axis::x}, oracle); !failure.empty()) return failure;
      if (std::string failure = differs(transposed{cta_swizzle{{grid.cols, grid.rows}, width, axis::y}}, oracle);
          !failure.empty()) {
        return failure + ", axis y";
      }
    }
    return std::string();
  });
}

TEST_CASE("hilbert is the recursive generalised Hilbert curve", "[order]") {
  on_every_grid(64, 64, [](extent grid) {
    std::vector<coord> path;
    if (grid.cols >= grid.rows) {
      recursive_curve(0, 0, grid.cols, 0, 0, grid.rows, path);
    } else {
      recursive_curve(0, 0, 0, grid.rows, grid.cols, 0, path);
    }
    return differs(hilbert{grid}, [&](int i) { return path[i]; });
  });
}

TEST_CASE("morton is the tiles sorted by their interleaved bits", "[order]") {
  on_every_grid(64, 64, [](extent grid) {
    std::vector<std::pair<std::uint64_t, coord>> tiles;
    for (const coord tile : all_tiles(grid)) tiles.emplace_back(interleaved(tile), tile);
    std::sort(tiles.begin(), tiles.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return differs(morton{grid}, [&](int i) { return tiles[i].second; });
  });
}

TEST_CASE("dilated is the tiles sorted by class and strip and then line by line", "[order]") {
  on_every_grid(24, 24, [](extent grid) {
    for (const extent step : {extent{1, 1}, extent{2, 3}, extent{4, 4}, extent{7, 2}, extent{30, 30}}) {
      for (const int width : {1, 2, 3, 5, 30}) {
        const auto key = [&](coord t) {
          return std::vector<int>{t.row % step.rows, t.col % step.cols, t.col / step.cols / width, t.row / step.rows,
                                  t.col / step.cols};
        };
        std::vector<coord> tiles = all_tiles(grid);
        std::sort(tiles.begin(), tiles.end(), [&](coord a, coord b) { return key(a) < key(b); });
        const std::string failure = differs(dilated{grid, step, width}, [&](int i) { return tiles[i]; });
        if (!failure.empty()) return failure;
      }
    }
    return std::string();
  });
}

TEST_CASE("rotated begins at any place of an order, and goes on from its end to its beginning", "[order]") {
  on_every_grid(9, 9, [](extent grid) {
    const hilbert order{grid};
    std::vector<coord> tiles;
    for (int i = 0; i < order.size(); ++i) tiles.push_back(order(i));
    for (int first = 0; first <= order.size(); ++first) {
      std::vector<coord> expected = tiles;
      std::rotate(expected.begin(), expected.begin() + first, expected.end());
      const std::string failure =
          differs(rotated{order, first}, [&](int i) { return expected[static_cast<std::size_t>(i)]; });
      if (!failure.empty()) return failure + ", first " + std::to_string(first);
    }
    return std::string();
  });
}

TEST_CASE("reversed runs backwards and transposed swaps rows and columns", "[order]") {
  on_every_grid(20, 20, [](extent grid) {
    const hilbert order{grid};
    const std::string failure = differs(reversed{order}, [&](int i) { return order(order.size() - 1 - i); });
    if (!failure.empty()) return failure;
    return differs(transposed{order}, [&](int i) { return coord{order(i).col, order(i).row}; });
  });
}

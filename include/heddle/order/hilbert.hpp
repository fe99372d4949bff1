#pragma once

#include <heddle/coord.hpp>

namespace heddle { inline namespace HEDDLE_ABI {

/// Follows a Hilbert curve generalised to any rectangle: consecutive tiles are neighbours, except for at most one
/// diagonal step on the whole grid.
///
///    0  1 14 15
///    3  2 13 12
///    4  7  8 11
///    5  6  9 10
///
/// The curve runs along the length of a rectangle, from one end to the other. A rectangle longer than 3/2 of its height
/// is cut in two, and each part has a curve of the same kind:
///
///      > a > b >
///
/// Any other rectangle is cut in three. The curve runs up the first part, along the second and down the third:
///
///      > b b b v      a is the whole, transposed;
///      ^ a   c v      c is a, turned by 180 degrees
///
/// A part is therefore only transposed and turned: one `transposed` and one `sign` describe it.
///
/// **Preconditions**: 0 <= i < size() for `order(i)`, and a tile of the grid for `index`. No check is made.
/// **Cost**: a loop of O(log n) turns per tile, without a table: 1110 cycles of latency on an H200, on 96 x 131 tiles
/// (docs/order.md). A `tile_table` of it takes one load. 8 bytes of kernel argument.
/// **Example** (tests/order/readme.cpp):
///
///     constexpr hilbert curve{{4, 4}};
///     static_assert(curve(6) == coord{3, 1} && curve.index({3, 1}) == 6);
class hilbert {
 public:
  /// Builds the order of a grid.
  HEDDLE_HOST explicit hilbert(extent grid) : grid_(grid) {}

  /// Returns the grid of tiles.
  HEDDLE_FN extent space() const { return grid_; }
  /// Returns the number of tiles.
  HEDDLE_FN int size() const { return grid_.size(); }

  /// Returns the i-th tile.
  HEDDLE_FN coord operator()(int i) const {
    auto [length, height] = sides();
    bool transposed = grid_.rows > grid_.cols;
    int sign = 1, row = 0, col = 0;
    const auto advance = [&](int u, int v) {  // u tiles along the part's length, v along its height
      row += sign * (transposed ? u : v);
      col += sign * (transposed ? v : u);
    };

    while (length > 1 && height > 1) {
      const auto [near, low, in_two] = cut(length, height);
      if (in_two) {
        if (i < near * height) {
          length = near;
        } else {
          i -= near * height;
          advance(near, 0);
          length -= near;
        }
        continue;
      }
      const int a = near * low, b = length * (height - low);
      if (i < a) {
        transposed = !transposed;
        length = low;
        height = near;
      } else if (i < a + b) {
        i -= a;
        advance(0, low);
        height -= low;
      } else {
        i -= a + b;
        advance(length - 1, low - 1);
        transposed = !transposed;
        sign = -sign;
        height = length - near;
        length = low;
      }
    }
    height == 1 ? advance(i, 0) : advance(0, i);
    return {row, col};
  }

  /// Returns the index of a tile: the inverse of operator().
  HEDDLE_FN int index(coord tile) const {
    auto [length, height] = sides();
    const bool is_high = grid_.rows > grid_.cols;
    int u = is_high ? tile.row : tile.col, v = is_high ? tile.col : tile.row, i = 0;

    while (length > 1 && height > 1) {
      const auto [near, low, in_two] = cut(length, height);
      if (in_two) {
        if (u < near) {
          length = near;
        } else {
          i += near * height;
          u -= near;
          length -= near;
        }
        continue;
      }
      const int a = near * low, b = length * (height - low);
      if (v >= low) {
        i += a;
        v -= low;
        height -= low;
      } else if (u < near) {
        const int up = v;
        v = u;
        u = up;
        length = low;
        height = near;
      } else {
        i += a + b;
        const int down = low - 1 - v;
        v = length - 1 - u;
        u = down;
        height = length - near;
        length = low;
      }
    }
    return i + (height == 1 ? u : v);
  }

  /// Returns a distance, rows plus columns, that no step from one tile to the next exceeds: 2, for a diagonal step.
  HEDDLE_FN int longest_step() const { return 2; }

 private:
  struct frame {
    int length, height;
  };
  struct cuts {
    int near, low;  // the cuts of the length and of the height
    bool in_two;
  };

  HEDDLE_FN frame sides() const {
    return grid_.rows > grid_.cols ? frame{grid_.rows, grid_.cols} : frame{grid_.cols, grid_.rows};
  }

  /// Cuts in the middle, and rounds up to an even number on the side that must be even for the parts to meet.
  HEDDLE_FN static cuts cut(int length, int height) {
    const bool in_two = length > height + height / 2;
    int near = length / 2, low = height / 2;
    if (in_two) near += near & 1;
    if (!in_two && height > 2) low += low & 1;
    return {near, low, in_two};
  }

  extent grid_;
};

}}  // namespace heddle::HEDDLE_ABI

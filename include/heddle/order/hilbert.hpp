#pragma once

#include <heddle/coord.hpp>

namespace heddle::inline HEDDLE_ABI {

/// A Hilbert curve generalised to any rectangle: consecutive tiles are neighbours, but for at most one
/// diagonal step on the whole grid. Computed on line, in O(log n) steps of a loop without a table.
///
///    0  1 14 15
///    3  2 13 12
///    4  7  8 11
///    5  6  9 10
///
/// A rectangle is walked along its length, from one end to the other. If it is more than 3/2 as long as it
/// is high it is cut in two, and both parts are walked as the whole was:
///
///      > a > b >
///
/// Any other is cut in three: up in the first, along in the second, down in the third.
///
///      > b b b v      a is the whole, transposed;
///      ^ a   c v      c is a, turned by 180 degrees
///
/// So a frame is only ever transposed and turned: one `transposed` and one `sign` describe it.
class hilbert {
 public:
  HEDDLE_HOST explicit hilbert(extent grid) : grid_(grid) {}

  HEDDLE_FN extent grid() const { return grid_; }
  HEDDLE_FN int size() const { return grid_.size(); }

  HEDDLE_FN coord operator()(int i) const {
    auto [length, height] = sides();
    bool transposed = grid_.rows > grid_.cols;
    int sign = 1, row = 0, col = 0;
    const auto advance = [&](int u, int v) {  // u along the frame's length, v along its height
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

  HEDDLE_FN int index(coord tile) const {
    auto [length, height] = sides();
    int u = tile.col, v = tile.row, i = 0;
    const auto swap = [](int& a, int& b) {
      const int kept = a;
      a = b;
      b = kept;
    };
    if (grid_.rows > grid_.cols) swap(u, v);

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
        swap(u, v);
        length = low;
        height = near;
      } else {
        i += a + b;
        u = length - 1 - u;
        v = low - 1 - v;
        swap(u, v);
        height = length - near;
        length = low;
      }
    }
    return i + (height == 1 ? u : v);
  }

  /// The most rows and columns together between one tile and the next: the one diagonal.
  HEDDLE_FN int longest_step() const { return 2; }

 private:
  struct frame {
    int length, height;
  };
  struct cuts {
    int near, low;  // where the length and the height are cut
    bool in_two;
  };

  HEDDLE_FN frame sides() const {
    return grid_.rows > grid_.cols ? frame{grid_.rows, grid_.cols} : frame{grid_.cols, grid_.rows};
  }

  /// In the middle; the side that must be even for the parts to meet is made so.
  HEDDLE_FN static cuts cut(int length, int height) {
    const bool in_two = length > height + height / 2;
    int near = length / 2, low = height / 2;
    if (in_two) near += near & 1;
    if (!in_two && height > 2) low += low & 1;
    return {near, low, in_two};
  }

  extent grid_;
};

}  // namespace heddle::inline HEDDLE_ABI

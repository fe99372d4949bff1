#pragma once

// What the programs of this folder share.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <vector>

#include "../common/measure.hpp"

/// Returns whole numbers from -4 to 4. Sums of their products are exact in any order.
inline std::vector<float> whole_numbers(std::size_t size) {
  std::vector<float> numbers(size);
  unsigned noise = 1;
  for (float& number : numbers) {
    noise = noise * 1664525u + 1013904223u;
    number = static_cast<float>((noise >> 16) % 9) - 4;
  }
  return numbers;
}

/// Planes of results, in tiles. A result may differ by `tolerance` from what is expected.
struct tiling {
  int planes, rows, cols, tile_rows, tile_cols;
  double tolerance = 0;
};

/// Returns whether an element of each tile is `expected(plane, row, col)`, NaN where nothing is written. Prints the
/// first that is wrong.
template <class Expected>
bool are_right(const std::vector<float>& results, tiling of, const Expected& expected) {
  for (int plane = 0; plane < of.planes; ++plane) {
    for (int top = 0; top < of.rows; top += of.tile_rows) {
      for (int left = 0; left < of.cols; left += of.tile_cols) {  // another place in each tile
        const int row = std::min(top + left / of.tile_cols % of.tile_rows, of.rows - 1);
        const int col = std::min(left + top / of.tile_rows % of.tile_cols, of.cols - 1);
        const double found = results[(1ULL * plane * of.rows + row) * of.cols + col], is = expected(plane, row, col);
        if (std::isnan(is) ? std::isnan(found) : std::fabs(found - is) <= of.tolerance) continue;
        std::printf("wrong in plane %d at %d %d: %g instead of %g\n", plane, row, col, found, is);
        return false;
      }
    }
  }
  return true;
}

/// A version of a program: its name, and its launches.
struct version {
  const char* name;
  std::function<void()> launch;
};

/// Launches each version on results that are no numbers, checks them and prints the median time. Returns the exit code
/// of the program.
template <class Expected>
int run(const device_array<float>& results, tiling of, const Expected& expected, std::initializer_list<version> all) {
  for (const version& each : all) {
    results.fill(0xff);
    const float milliseconds = median_time(5, [&] { return each.launch(), cudaGetLastError(); });
    const bool right = are_right(results.read(), of, expected);
    std::printf("%s: %.3f ms, %s\n", each.name, static_cast<double>(milliseconds), right ? "right" : "wrong");
    if (!right) return 1;
  }
  return 0;
}

#pragma once

// What the programs of this folder share.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
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

/// Returns a row or a column of a tile, by `which` another one. A tile at the edge has no more than the grid.
inline int place_in(int tile, int tile_size, int size, int which) {
  return std::min(tile * tile_size + which % tile_size, size - 1);
}

/// Prints a wrong result, and returns the exit code of a program that has one.
inline int wrong(const char* program, int plane, int row, int col, double found, double expected) {
  std::printf("%s: wrong in plane %d at %d %d: %g instead of %g\n", program, plane, row, col, found, expected);
  return 1;
}

inline int right(const char* program, float milliseconds) {
  std::printf("%s: %.3f ms, right\n", program, static_cast<double>(milliseconds));
  return 0;
}

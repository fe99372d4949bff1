#pragma once

#include <cmath>
#include <vector>

#include "hopper/element.cuh"

namespace heddle_test {

using element = __nv_bfloat16;
using hopper::major;

/// A matrix of small whole numbers, or one to be written, with guards behind its rows,
/// which are so many elements apart.
struct matrix {
  int rows, cols, pitch;
  std::vector<element> memory;

  static constexpr float guard = -77;

  matrix(int of_rows, int of_cols, bool is_filled, int of_pitch = 0)
      : rows(of_rows),
        cols(of_cols),
        pitch(of_pitch > 0 ? of_pitch : (of_cols + 15) / 8 * 8),
        memory(static_cast<std::size_t>(pitch * rows + 8), element(guard)) {
    for (int row = 0; row < rows && is_filled; ++row) {
      for (int col = 0; col < cols; ++col) at(row, col) = element(static_cast<float>(simt::random() % 5) - 2);
    }
  }

  element* data() { return memory.data(); }
  element& at(int row, int col) { return memory[static_cast<std::size_t>(row * pitch + col)]; }
  float value(int row, int col) { return static_cast<float>(at(row, col)); }

  /// Returns the elements in which this matrix is not `sum(row, col)`, up to a part of it, and the written elements
  /// outside of it.
  template <class Sum>
  int wrong(const Sum& sum, float part = 0) {
    int count = 0;
    for (int i = 0; i < static_cast<int>(memory.size()); ++i) {
      const int row = i / pitch, col = i % pitch;
      const float right = row < rows && col < cols ? sum(row, col) : guard;
      const element found = memory[static_cast<std::size_t>(i)];
      const bool is_close = std::abs(static_cast<float>(found) - right) <= part * std::abs(right);
      count += found.bits != element(right).bits && (part == 0 || !is_close);
    }
    return count;
  }
};

/// An operand of so many rows of A (columns of B), in either layout.
struct operand_matrix : matrix {
  major along;

  operand_matrix(major contiguous, int mn, int k, int row_pitch = 0)
      : matrix(contiguous == major::k ? mn : k, contiguous == major::k ? k : mn, true, row_pitch), along(contiguous) {}
  float operator()(int mn, int k) { return along == major::k ? value(mn, k) : value(k, mn); }
};

}  // namespace heddle_test

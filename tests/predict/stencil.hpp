#pragma once

#include <heddle/predict/stencil_problem.hpp>

namespace heddle_test {

/// The numbers of a stencil in short: those of rows and of columns together, and all bytes and instructions per pixel.
struct stencil {
  struct both {
    int rows, cols;
  };
  both image, tile = {16, 16};
  int bytes;
  both radius = {0, 0};
  int step = 1, written = 0, instructions = 0;

  constexpr operator heddle::predict::stencil_problem() const {
    return {.rows = image.rows,
            .cols = image.cols,
            .tile_rows = tile.rows,
            .tile_cols = tile.cols,
            .bytes_per_pixel = bytes,
            .rows_radius = radius.rows,
            .cols_radius = radius.cols,
            .step = step,
            .written_bytes_per_pixel = written,
            .instructions_per_pixel = instructions};
  }
};

}  // namespace heddle_test

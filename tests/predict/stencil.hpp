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

/// A level of a denoiser.
constexpr heddle::predict::stencil_problem a_trous(int step, int tile_rows = 16, int instructions = 0) {
  return stencil{.image = {8192, 16384},
                 .tile = {tile_rows, 16},
                 .bytes = 32,
                 .radius = {2, 2},
                 .step = step,
                 .written = 16,
                 .instructions = instructions};
}

}  // namespace heddle_test

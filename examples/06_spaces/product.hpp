#pragma once

// The code that product_before.cu and product_after.cu share: the sizes, and a host program that checks and times them.

#include "common.hpp"

constexpr int planes = 7, m = 1021, n = 16381, k = 1019;  // primes: no tile divides them, and B has 67 MB
constexpr int tile_rows = 8, tile_cols = 128;
constexpr int row_tiles = (m + tile_rows - 1) / tile_rows, col_tiles = (n + tile_cols - 1) / tile_cols;

/// Multiplies a matrix per plane by one matrix for all, checks an element of each tile and prints the median time.
template <class Launch>
int run(const char* name, Launch launch) try {
  if (!has_gpu(name)) return skipped;

  const std::vector<float> all_a = whole_numbers(1ULL * planes * m * k), all_b = whole_numbers(1ULL * k * n);
  const device_array<float> a(all_a), b(all_b), c(1ULL * planes * m * n);
  c.fill(0xff);
  const float milliseconds = median_time(5, [&] {
    launch(a.data(), b.data(), c.data());
    return cudaGetLastError();
  });

  const std::vector<float> products = c.read();
  for (int plane = 0; plane < planes; ++plane) {
    for (int tile_row = 0; tile_row < row_tiles; ++tile_row) {
      for (int tile_col = 0; tile_col < col_tiles; ++tile_col) {
        const int row = place_in(tile_row, tile_rows, m, tile_col), col = place_in(tile_col, tile_cols, n, tile_row);
        double sum = 0;
        for (int i = 0; i < k; ++i) sum += all_a[(1ULL * plane * m + row) * k + i] * all_b[1ULL * i * n + col];
        const double found = products[(1ULL * plane * m + row) * n + col];
        if (found != sum) return wrong(name, plane, row, col, found, sum);
      }
    }
  }
  return right(name, milliseconds);
} catch (const std::exception& error) {
  return failed(name, error);
}

#pragma once

// The code that experts_before.cu, experts_after.cu and experts_expanded.cu share: the sizes, and a host program that
// checks and times them.

#include "common.hpp"

constexpr int experts = 61, rows_in_all = 16381, n = 1021, k = 509;  // primes: no tile divides them
constexpr int tile_rows = 8, tile_cols = 128;
constexpr int most_row_tiles = (rows_in_all + tile_rows - 1) / tile_rows;  // of one expert, if it has all rows
constexpr int col_tiles = (n + tile_cols - 1) / tile_cols;

/// Returns where the rows of each expert end. The share of an expert is that of its place in a list of favourites; one
/// in four experts has no rows.
inline std::vector<int> ends_of_experts() {
  const auto share_of = [](int expert) { return expert % 4 == 3 ? 0 : 1.0 / (1 + expert * 37 % experts); };
  double all = 0, before = 0;
  for (int expert = 0; expert < experts; ++expert) all += share_of(expert);
  std::vector<int> ends(experts);
  for (int expert = 0; expert < experts; ++expert) {
    before += share_of(expert);
    ends[expert] = static_cast<int>(rows_in_all * (before / all));
  }
  ends.back() = rows_in_all;
  return ends;
}

/// Multiplies the rows of each expert by its own matrix, checks an element of each tile and prints the median time. The
/// host program knows the sizes, to check; a launch reads them on the device.
template <class Launch>
int run(const char* name, Launch launch) try {
  if (!has_gpu(name)) return skipped;

  const std::vector<int> all_ends = ends_of_experts();
  const std::vector<float> all_a = whole_numbers(1ULL * rows_in_all * k), all_b = whole_numbers(1ULL * experts * k * n);
  const device_array<int> ends(all_ends);
  const device_array<float> a(all_a), b(all_b), c(1ULL * rows_in_all * n);
  c.fill(0xff);
  const float milliseconds = median_time(5, [&] {
    launch(ends.data(), a.data(), b.data(), c.data());
    return cudaGetLastError();
  });

  const std::vector<float> products = c.read();
  for (int expert = 0, begin = 0; expert < experts; begin = all_ends[expert++]) {
    for (int first = begin; first < all_ends[expert]; first += tile_rows) {
      for (int tile_col = 0; tile_col < col_tiles; ++tile_col) {
        const int row = std::min(first + tile_col % tile_rows, all_ends[expert] - 1);
        const int col = place_in(tile_col, tile_cols, n, first);
        double sum = 0;
        for (int i = 0; i < k; ++i) sum += all_a[1ULL * row * k + i] * all_b[(1ULL * expert * k + i) * n + col];
        const double found = products[1ULL * row * n + col];
        if (found != sum) return wrong(name, expert, row, col, found, sum);
      }
    }
  }
  return right(name, milliseconds);
} catch (const std::exception& error) {
  return failed(name, error);
}

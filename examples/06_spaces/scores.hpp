#pragma once

// The code that scores_before.cu and scores_after.cu share: the sizes, and a host program that checks and times them.

#include <cmath>

#include "common.hpp"

constexpr int length = 2053,
              width = 61;  // queries and keys per head, and elements of each: primes, no tile divides them
constexpr int heads = 9, key_heads = 3;  // three heads of queries share one head of keys
constexpr int side = 32;                 // of a tile
constexpr int tiles = (length + side - 1) / side;

/// Scores every query with the keys up to its own, checks two elements of each tile and prints the median time.
template <class Launch>
int run(const char* name, Launch launch) try {
  if (!has_gpu(name)) return skipped;

  const std::vector<float> all_queries = whole_numbers(1ULL * heads * length * width);
  const std::vector<float> all_keys = whole_numbers(1ULL * key_heads * width * length);
  const device_array<float> queries(all_queries), keys(all_keys), scores(1ULL * heads * length * length);
  scores.fill(0xff);
  const float milliseconds = median_time(5, [&] {
    launch(queries.data(), keys.data(), scores.data());
    return cudaGetLastError();
  });

  const std::vector<float> all = scores.read();
  for (int head = 0; head < heads; ++head) {
    const int key_head = head / (heads / key_heads);
    for (int tile = 0; tile < tiles * tiles; ++tile) {
      for (const int which : {0, side - 1}) {
        const int query = place_in(tile / tiles, side, length, which), key = place_in(tile % tiles, side, length, tile);
        double sum = 0;
        for (int i = 0; i < width; ++i) {
          sum += all_queries[(1ULL * head * length + query) * width + i] *
                 all_keys[(1ULL * key_head * width + i) * length + key];
        }
        const double found = all[(1ULL * head * length + query) * length + key];
        if (key > query) sum = NAN;  // above the diagonal nothing is written
        if (key > query ? !std::isnan(found) : found != sum) return wrong(name, head, query, key, found, sum);
      }
    }
  }
  return right(name, milliseconds);
} catch (const std::exception& error) {
  return failed(name, error);
}

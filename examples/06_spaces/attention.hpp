#pragma once

// The code that attention_before.cu and attention_after.cu share: the sizes, a step of the sum, and a host program that
// checks and times them.

#include <cmath>

#include "common.hpp"

constexpr int length = 4099, width = 32;   // queries and keys per head (a prime: no tile divides it), elements of each
constexpr int heads = 62, key_heads = 31;  // two heads of queries share one head of keys and values
constexpr int tile_queries = 128;
constexpr int tiles = (length + tile_queries - 1) / tile_queries;
constexpr float scale = 1.0f / 256;

/// The arrays on the device: `queries` and `sums` have `heads` heads, `keys` and `values` have `key_heads`.
struct arrays {
  const float *queries, *keys, *values;
  float* sums;
};

/// Returns how many heads of queries use keys and values that fit in `bytes` together.
constexpr int heads_that_use(long long bytes) {
  const long long key_heads_that_fit = bytes / (2LL * sizeof(float) * width * length);
  return static_cast<int>(key_heads_that_fit > 1 ? key_heads_that_fit : 1) * (heads / key_heads);
}

/// Sums the values of the keys up to each query, weighted by their scores, checks a query of each tile and prints the
/// median time.
template <class Launch>
int run(const char* name, Launch launch) try {
  if (!has_gpu(name)) return skipped;

  const std::vector<float> all_queries = whole_numbers(1ULL * heads * length * width);
  const std::vector<float> all_keys = whole_numbers(1ULL * key_heads * length * width);
  const std::vector<float> all_values(all_keys.rbegin(), all_keys.rend());
  const device_array<float> queries(all_queries), keys(all_keys), values(all_values), sums(all_queries.size());
  sums.fill(0xff);
  const float milliseconds = median_time(5, [&] {
    launch(arrays{queries.data(), keys.data(), values.data(), sums.data()});
    return cudaGetLastError();
  });

  const std::vector<float> all = sums.read();
  for (int head = 0; head < heads; ++head) {
    const auto* const of_head = all_keys.data() + 1ULL * (head / (heads / key_heads)) * length * width;
    const auto* const values_of_head = all_values.data() + (of_head - all_keys.data());
    for (int tile = 0; tile < tiles; ++tile) {
      const int query = place_in(tile, tile_queries, length, 37 * head);
      const std::size_t at = (1ULL * head * length + query) * width;
      std::vector<double> expected(width);
      double total = 0;
      for (int key = 0; key <= query; ++key) {
        double score = 0;
        for (int i = 0; i < width; ++i) score += all_queries[at + i] * of_head[1LL * key * width + i];
        const double weight = std::exp(score * static_cast<double>(scale));
        total += weight;
        for (int i = 0; i < width; ++i) expected[i] += weight * values_of_head[1LL * key * width + i];
      }
      for (int i = 0; i < width; ++i) {
        if (!(std::fabs(all[at + i] - expected[i] / total) < 1e-3)) {
          return wrong(name, head, query, i, all[at + i], expected[i] / total);
        }
      }
    }
  }
  return right(name, milliseconds);
} catch (const std::exception& error) {
  return failed(name, error);
}

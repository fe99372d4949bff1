// Causal attention: one block per tile of queries, from the first queries, which see few keys, to the last, as a first
// version has it; and with the longest tiles first, and as many heads at a time as have their keys and values in L2.

#include <heddle/order/reversed.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/order/tile_of_block.hpp>

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

/// Sums the values of the keys up to each query, weighted by their scores.
__device__ void attend_tile(arrays of, int tile, int head) {
  const int query = tile * tile_queries + threadIdx.x;
  if (query >= length) return;
  const float* const keys = of.keys + 1LL * (head / (heads / key_heads)) * length * width;
  const float* const values = of.values + (keys - of.keys);
  const long long at = (1LL * head * length + query) * width;
  float own[width], sums[width] = {}, total = 0;
  for (int i = 0; i < width; ++i) own[i] = of.queries[at + i];
  for (int key = 0; key <= query; ++key) {
    float score = 0;
    for (int i = 0; i < width; ++i) score += own[i] * keys[key * width + i];
    const float weight = expf(score * scale);  // scores are small here: no maximum is subtracted
    total += weight;
    for (int i = 0; i < width; ++i) sums[i] += weight * values[key * width + i];
  }
  for (int i = 0; i < width; ++i) of.sums[at + i] = sums[i] / total;
}

__global__ void attend(arrays of) {
  const int tile = blockIdx.x, head = blockIdx.y;
  attend_tile(of, tile, head);
}

void before(arrays of) {
  attend<<<dim3(tiles, heads), tile_queries>>>(of);
}

template <class Order>
__global__ void attend(const __grid_constant__ Order order, arrays of) {
  const auto [tile, head] = heddle::tile_of_block(order);
  attend_tile(of, tile, head);
}

/// Returns how many heads of queries use keys and values that fit in `bytes` together.
constexpr int heads_that_use(long long bytes) {
  const long long key_heads_that_fit = bytes / (2LL * sizeof(float) * width * length);
  return static_cast<int>(key_heads_that_fit > 1 ? key_heads_that_fit : 1) * (heads / key_heads);
}

void after(arrays of) {
  const int heads_that_fit = heads_that_use(30'000'000);  // half of the L2 of an H200
  const heddle::reversed order{heddle::thread_group_tiling{{tiles, heads}, heads_that_fit, heddle::axis::x}};
  attend<<<order.size(), tile_queries>>>(order, of);
}

int main() try {
  if (!has_gpu("attention")) return skipped;
  const std::vector<float> all_queries = whole_numbers(1ULL * heads * length * width);
  const std::vector<float> all_keys = whole_numbers(1ULL * key_heads * length * width);
  const std::vector<float> all_values(all_keys.rbegin(), all_keys.rend());
  const device_array<float> queries(all_queries), keys(all_keys), values(all_values), sums(all_queries.size());
  const arrays all{queries.data(), keys.data(), values.data(), sums.data()};

  const auto expected = [&](int head, int query, int i) {
    const std::size_t at = (1ULL * head * length + query) * width;
    const std::size_t of_head = 1ULL * (head / (heads / key_heads)) * length * width;
    double sum = 0, total = 0;
    for (int key = 0; key <= query; ++key) {
      double score = 0;
      for (int j = 0; j < width; ++j) score += all_queries[at + j] * all_keys[of_head + 1ULL * key * width + j];
      const double weight = std::exp(score * static_cast<double>(scale));
      total += weight;
      sum += weight * all_values[of_head + 1ULL * key * width + i];
    }
    return sum / total;
  };
  return run(sums, {heads, length, width, tile_queries, /*elements of which one is checked*/ 8, /*tolerance*/ 1e-3},
             expected, {{"before", [&] { before(all); }}, {"after", [&] { after(all); }}});
} catch (const std::exception& error) {
  return failed("attention", error);
}

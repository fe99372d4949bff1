// Causal scores: one block per tile of a square, of which those above the diagonal return, as a first version has them;
// and without the blocks above the diagonal, with the heads that share keys in turn.

#include <heddle/order/batched.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/order/tile_of_block.hpp>
#include <heddle/order/triangular.hpp>

#include "common.hpp"

constexpr int length = 2053, width = 61;  // queries and keys per head, elements of each: primes, no tile divides them
constexpr int heads = 9, key_heads = 3;   // three heads of queries share one head of keys
constexpr int side = 32;                  // of a tile
constexpr int tiles = (length + side - 1) / side;

__device__ void score_tile(const float* queries, const float* keys, float* scores, int head, int query_tile,
                           int key_tile) {
  const int key = key_tile * side + threadIdx.x;
  keys += 1LL * (head / (heads / key_heads)) * width * length + key;
  for (int row = threadIdx.y; row < side; row += blockDim.y) {
    const int query = query_tile * side + row;
    if (query >= length || key > query) continue;
    const float* const of_query = queries + (1LL * head * length + query) * width;
    float sum = 0;
    for (int i = 0; i < width; ++i) sum += of_query[i] * keys[i * length];
    scores[(1LL * head * length + query) * length + key] = sum;
  }
}

__global__ void score(const float* queries, const float* keys, float* scores) {
  const int head = blockIdx.z, query_tile = blockIdx.y, key_tile = blockIdx.x;
  if (key_tile > query_tile) return;
  score_tile(queries, keys, scores, head, query_tile, key_tile);
}

void before(const float* queries, const float* keys, float* scores) {
  score<<<dim3(tiles, tiles, heads), dim3(side, 8)>>>(queries, keys, scores);
}

template <class Order>
__global__ void score(const __grid_constant__ Order order, const float* queries, const float* keys, float* scores) {
  const auto [head, query_tile, key_tile] = heddle::tile_of_block(order);
  score_tile(queries, keys, scores, head, query_tile, key_tile);
}

void after(const float* queries, const float* keys, float* scores) {
  const heddle::triangle below{tiles};
  const heddle::triangular plane{heddle::thread_group_tiling{below.folded(), /*width*/ 8, heddle::axis::x}, below};
  const heddle::batched order{plane, heads, /*interleave*/ heads / key_heads};
  score<<<order.size(), dim3(side, 8)>>>(order, queries, keys, scores);
}

int main() try {
  if (!has_gpu("scores")) return skipped;
  const std::vector<float> all_queries = whole_numbers(1ULL * heads * length * width);
  const std::vector<float> all_keys = whole_numbers(1ULL * key_heads * width * length);
  const device_array<float> queries(all_queries), keys(all_keys), scores(1ULL * heads * length * length);
  const auto expected = [&](int head, int query, int key) -> double {
    if (key > query) return NAN;  // above the diagonal nothing is written
    const std::size_t key_head = head / (heads / key_heads);
    double sum = 0;
    for (int i = 0; i < width; ++i) {
      sum += all_queries[(1ULL * head * length + query) * width + i] * all_keys[(key_head * width + i) * length + key];
    }
    return sum;
  };
  return run(scores, {heads, length, length, side, 1}, expected,
             {{"before", [&] { before(queries.data(), keys.data(), scores.data()); }},
              {"after", [&] { after(queries.data(), keys.data(), scores.data()); }}});
} catch (const std::exception& error) {
  return failed("scores", error);
}

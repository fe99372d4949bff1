// attention_before.cu with the longest tiles first, and as many heads at a time as have their keys and values in L2.

#include <heddle/order/reversed.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/order/tile_of_block.hpp>

#include "attention.hpp"

template <class Order>
__global__ void attend(const __grid_constant__ Order order, arrays of) {
  const auto [tile, head] = heddle::tile_of_block(order);
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

int main() {
  return run("attention_after", [](arrays of) {
    const int heads_that_fit = heads_that_use(30'000'000);  // half of the L2 of an H200
    const heddle::reversed order{heddle::thread_group_tiling{{tiles, heads}, heads_that_fit, heddle::axis::x}};
    attend<<<order.size(), tile_queries>>>(order, of);
  });
}

// scores_before.cu without the blocks above the diagonal, and with the heads that share keys in turn.

#include <heddle/order/batched.hpp>
#include <heddle/order/thread_group_tiling.hpp>
#include <heddle/order/tile_of_block.hpp>
#include <heddle/order/triangular.hpp>

#include "scores.hpp"

template <class Order>
__global__ void score(const __grid_constant__ Order order, const float* queries, const float* keys, float* scores) {
  const auto [head, query_tile, key_tile] = heddle::tile_of_block(order);
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

int main() {
  return run("scores_after", [](const float* queries, const float* keys, float* scores) {
    const heddle::triangle below{tiles};
    const heddle::triangular plane{heddle::thread_group_tiling{below.folded(), /*width*/ 8, heddle::axis::x}, below};
    const heddle::batched order{plane, heads, /*interleave*/ heads / key_heads};
    score<<<order.size(), dim3(side, 8)>>>(order, queries, keys, scores);
  });
}

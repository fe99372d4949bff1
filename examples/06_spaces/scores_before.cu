// Causal scores as a first version has them: one block per tile of a square, and those above the diagonal return.
// scores_after.cu is the same program with heddle.

#include "scores.hpp"

__global__ void score(const float* queries, const float* keys, float* scores) {
  const int head = blockIdx.z, query_tile = blockIdx.y, key_tile = blockIdx.x;
  if (key_tile > query_tile) return;
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
  return run("scores_before", [](const float* queries, const float* keys, float* scores) {
    score<<<dim3(tiles, tiles, heads), dim3(side, 8)>>>(queries, keys, scores);
  });
}

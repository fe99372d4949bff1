// Causal attention as a first version has it: one block per tile of queries, from the first queries, which see few
// keys, to the last. attention_after.cu is the same program with heddle.

#include "attention.hpp"

__global__ void attend(arrays of) {
  const int tile = blockIdx.x, head = blockIdx.y;
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
  return run("attention_before", [](arrays of) { attend<<<dim3(tiles, heads), tile_queries>>>(of); });
}

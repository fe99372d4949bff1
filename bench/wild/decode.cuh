#pragma once

#include <heddle/order/costly_first.hpp>
#include <heddle/order/row_major.hpp>
#include <heddle/order/tile_of_block.hpp>

#include <cuda_fp16.h>

#include <cmath>
#include <vector>

#include "contest.cuh"

// Decode attention: a token of each sequence sees all keys of its sequence, a block per sequence and head. Sequences
// have few tokens or many.

namespace wild {

constexpr int sequences = 256, decode_heads = 16, decode_width = 128, decode_threads = 256;
constexpr int of_token = decode_width / 8;                                // threads of a token, with eight numbers each
constexpr int tokens_at_once = decode_threads / of_token, in_flight = 4;  // of a block; and rounds of them

struct cache {
  const __half* queries;
  const uint4 *keys, *values;  // by head, then by token of all sequences
  const int* begins;           // of sequences, in tokens
  int tokens;
  float* out;
};

/// Adds the products of eight pairs of numbers.
__device__ inline float dot(const float (&a)[8], uint4 b) {
  float sum = 0;
  const __half2 pairs[4] = {reinterpret_cast<const __half2&>(b.x), reinterpret_cast<const __half2&>(b.y),
                            reinterpret_cast<const __half2&>(b.z), reinterpret_cast<const __half2&>(b.w)};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 two = __half22float2(pairs[i]);
    sum += a[2 * i] * two.x + a[2 * i + 1] * two.y;
  }
  return sum;
}
__device__ inline void add_scaled(float (&sums)[8], float kept, float weight, uint4 b) {
  const __half2 pairs[4] = {reinterpret_cast<const __half2&>(b.x), reinterpret_cast<const __half2&>(b.y),
                            reinterpret_cast<const __half2&>(b.z), reinterpret_cast<const __half2&>(b.w)};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 two = __half22float2(pairs[i]);
    sums[2 * i] = sums[2 * i] * kept + weight * two.x;
    sums[2 * i + 1] = sums[2 * i + 1] * kept + weight * two.y;
  }
}

__device__ inline void decode(cache of, int sequence, int head) {
  __shared__ float of_group[tokens_at_once][decode_width + 2];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % of_token, group = thread / of_token;
  const int first = of.begins[sequence], end = of.begins[sequence + 1];
  const __half* const query = of.queries + (sequence * decode_heads + head) * decode_width + 8 * lane;
  float asks[8], sums[8] = {}, largest = -1e30f, weights = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) asks[i] = __half2float(query[i]);
  const std::size_t base = std::size_t{1} * static_cast<unsigned>(head) * static_cast<unsigned>(of.tokens);
  for (int token = first + group; token < end; token += in_flight * tokens_at_once) {
    uint4 keys[in_flight], values[in_flight];
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
      const int at = min(token + i * tokens_at_once, end - 1);
      keys[i] = of.keys[(base + static_cast<unsigned>(at)) * of_token + lane];
      values[i] = of.values[(base + static_cast<unsigned>(at)) * of_token + lane];
    }
#pragma unroll
    for (int i = 0; i < in_flight; ++i) {
      float score = dot(asks, keys[i]);
      const unsigned lanes = 0xffffu << thread % 32 / of_token * of_token;  // the groups of a warp end apart
      for (int step = of_token / 2; step > 0; step /= 2) score += __shfl_xor_sync(lanes, score, step);
      if (token + i * tokens_at_once >= end) score = -1e30f;
      const float most = fmaxf(largest, score), kept = __expf(largest - most);
      const float weight = token + i * tokens_at_once < end ? __expf(score - most) : 0;
      largest = most, weights = weights * kept + weight;
      add_scaled(sums, kept, weight, values[i]);
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) of_group[group][8 * lane + i] = sums[i];
  if (lane == 0) of_group[group][decode_width] = largest, of_group[group][decode_width + 1] = weights;
  __syncthreads();
  if (thread >= decode_width) return;
  float all = -1e30f, sum = 0, weight = 0;
  for (const auto& each : of_group) all = fmaxf(all, each[decode_width]);
  for (const auto& each : of_group) {
    const float scale = __expf(each[decode_width] - all);
    sum += scale * each[thread], weight += scale * each[decode_width + 1];
  }
  of.out[(sequence * decode_heads + head) * decode_width + thread] = sum / weight;
}

__global__ __launch_bounds__(decode_threads) void decode_each(cache of) {
  decode(of, static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.x));
}
template <class Order>
__global__ __launch_bounds__(decode_threads) void decode_by(const __grid_constant__ Order order, cache of) {
  const auto [sequence, head] = heddle::tile_of_block(order);
  decode(of, sequence, head);
}

/// What a tile costs: the tokens of its sequence.
struct tokens_of_sequence {
  const int* begins;
  __device__ int operator()(heddle::coord tile) const { return begins[tile.row + 1] - begins[tile.row]; }
};

__global__ void fill_halves(__half* values, std::size_t count) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += all) {
    values[i] = __float2half(unit(static_cast<unsigned>(i) * 0x9e3779b9u + 1) - 0.5f);
  }
}
inline std::shared_ptr<words> make_halves(std::size_t count) {
  const auto made = make_words(count / 2);
  fill_halves<<<1024, 256>>>(reinterpret_cast<__half*>(made->data()), count);
  check(cudaGetLastError());
  return made;
}

/// Sequences of 1024 tokens, or of 1 to 16384 their mean some 2000.
inline contest of_decoding(bool is_even) {
  std::vector<int> begins{0};
  for (unsigned i = 0; i < sequences; ++i) {
    const float share = std::pow(unit(7 * i + 3), 6.0f);
    const int tokens = is_even ? 1024 + static_cast<int>(mix(i) % 64) : 1 + static_cast<int>(16383 * share);
    begins.push_back(begins.back() + tokens);
  }
  const auto on_device = make_words(begins.size());
  on_device->copy_from(reinterpret_cast<const unsigned*>(begins.data()), begins.size());
  const std::size_t numbers = std::size_t{1} * static_cast<unsigned>(begins.back()) * decode_heads * decode_width;
  const auto queries = make_halves(std::size_t{1} * sequences * decode_heads * decode_width),
             keys = make_halves(numbers), values = make_halves(numbers),
             out = make_words(std::size_t{1} * sequences * decode_heads * decode_width);
  const cache of{reinterpret_cast<const __half*>(queries->data()),
                 reinterpret_cast<const uint4*>(keys->data()),
                 reinterpret_cast<const uint4*>(values->data()),
                 reinterpret_cast<const int*>(on_device->data()),
                 begins.back(),
                 floats(out)};
  const heddle::row_major inner{{sequences, decode_heads}};
  using order = heddle::costly_first<heddle::row_major>;
  const auto state = make_words(order::state_bytes(inner) / sizeof(unsigned));
  return {is_even ? "decoding, even" : "decoding, skewed",
          "256 sequences of " + std::to_string(begins.back()) + " tokens, 16 heads of 128 halves",
          "costly_first",
          out,
          [=, keep = std::vector{queries, keys, values, on_device}] {
            decode_each<<<dim3(decode_heads, sequences), decode_threads>>>(of);
          },
          [=] {
            const order costly{inner, state->data()};
            check(costly.prepare_async(tokens_of_sequence{of.begins}, nullptr));
            decode_by<<<inner.size(), decode_threads>>>(costly, of);
          }};
}
inline contest of_even_decoding() {
  return of_decoding(true);
}
inline contest of_skewed_decoding() {
  return of_decoding(false);
}

}  // namespace wild

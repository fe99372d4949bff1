#pragma once

#include <cmath>

#include "arguments.cuh"
#include "hopper/ptx.cuh"

// What a warpgroup's thread does with its scores: of two rows, eight apart, two columns of every eight. Four lanes have
// the same rows.

namespace attention {

/// Sets scores of keys that their query does not see to minus infinity. The first score of the thread is of this query
/// and key.
template <int Count>
__device__ __forceinline__ void mask(float (&scores)[Count], const sequence& in, int query, int key, int left,
                                     int right) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int first = in.first_seen(query + half * 8, left) - key, last = in.last_seen(query + half * 8, right) - key;
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      const int at = i / 4 * 8 + i % 2;
      if (i % 4 / 2 == half && (at < first || at > last)) scores[i] = -INFINITY;
    }
  }
}

/// The softmax of two rows whose scores come step by step.
struct softmax {
  float top[2] = {-INFINITY, -INFINITY};  // score
  float total[2][2] = {};                 // of the weights of this lane's even and odd columns
  float base[2];                          // what is taken from scores, times the scale

  /// Raises the top of the upper or the lower row to that of new scores, and returns the factor that its weights so far
  /// must be multiplied by. `scale` has the logarithm of e to the base 2 in it.
  template <int Half, int Count>
  __device__ __forceinline__ float raise(const float (&scores)[Count], float scale) {
    float next[2] = {top[Half], top[Half]};
#pragma unroll
    for (int i = 2 * Half; i < Count; i += 4) {
      next[0] = fmaxf(next[0], scores[i]);
      next[1] = fmaxf(next[1], scores[i + 1]);
    }
    float most = fmaxf(next[0], next[1]);
    most = fmaxf(most, __shfl_xor_sync(~0u, most, 1));
    most = fmaxf(most, __shfl_xor_sync(~0u, most, 2));
    const float seen = most == -INFINITY ? 0 : most;
    const float rest = hopper::ptx::ex2((top[Half] - seen) * scale);  // 1 while the top stays: else rows drift
    base[Half] = seen * scale;
    top[Half] = most;
    for (float& each : total[Half]) each *= rest;
    return rest;
  }

  /// Makes weights of the row's scores.
  template <int Half, int Count>
  __device__ __forceinline__ void weigh(float (&scores)[Count], float scale) {
#pragma unroll
    for (int i = 2 * Half; i < Count; i += 4) {
#pragma unroll
      for (int odd = 0; odd < 2; ++odd) {
        scores[i + odd] = hopper::ptx::ex2(fmaf(scores[i + odd], scale, -base[Half]));
        total[Half][odd] += scores[i + odd];
      }
    }
  }

  /// What a row's sums must be multiplied by, and the logarithm of its sum of exponentials.
  struct row_result {
    float inverse, lse;
  };

  /// Returns them of the upper or the lower row. A row that has seen no key gets zeros, and minus infinity.
  __device__ row_result finish(int half, float scale) const {
    constexpr float ln2 = 0.693147181f;
    float sum = total[half][0] + total[half][1];
    sum += __shfl_xor_sync(~0u, sum, 1);
    sum += __shfl_xor_sync(~0u, sum, 2);
    if (sum == 0) return {0, -INFINITY};
    return {1 / sum, (top[half] * scale + log2f(sum)) * ln2};
  }
};

}  // namespace attention

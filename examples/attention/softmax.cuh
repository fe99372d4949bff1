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
  float total[2] = {};                    // of the weights of this lane's columns
  float base[2], sum[2][2];               // of a step: what is taken from scores, times the scale; sums of weights

  /// Raises the tops to those of new scores, and returns the factors that weights so far must be multiplied by. `scale`
  /// has the logarithm of e to the base 2 in it.
  template <int Count>
  __device__ __forceinline__ float2 raise(const float (&scores)[Count], float scale) {
    float next[2][2] = {{top[0], top[0]}, {top[1], top[1]}}, rest[2];
#pragma unroll
    for (int i = 0; i < Count; ++i) next[i % 4 / 2][i % 2] = fmaxf(next[i % 4 / 2][i % 2], scores[i]);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float most = fmaxf(next[half][0], next[half][1]);
      most = fmaxf(most, __shfl_xor_sync(~0u, most, 1));
      most = fmaxf(most, __shfl_xor_sync(~0u, most, 2));
      const float seen = most == -INFINITY ? 0 : most;
      base[half] = seen * scale;
      rest[half] = hopper::ptx::ex2((top[half] - seen) * scale);  // 1 while the top stays: else rows drift
      top[half] = most;
    }
    total[0] *= rest[0], total[1] *= rest[1];
    return {rest[0], rest[1]};
  }

  /// Makes weights of the scores from `From` on, up to `To`: of all of a step, in their order.
  template <int From, int To, int Count>
  __device__ __forceinline__ void weigh(float (&scores)[Count], float scale) {
    if constexpr (From == 0) sum[0][0] = sum[0][1] = sum[1][0] = sum[1][1] = 0;
#pragma unroll
    for (int i = From; i < To; ++i) {
      scores[i] = hopper::ptx::ex2(fmaf(scores[i], scale, -base[i % 4 / 2]));
      sum[i % 4 / 2][i % 2] += scores[i];
    }
    if constexpr (To == Count) {
#pragma unroll
      for (int half = 0; half < 2; ++half) total[half] += sum[half][0] + sum[half][1];
    }
  }

  /// What a row's sums must be multiplied by, and the logarithm of its sum of exponentials.
  struct row_result {
    float inverse, lse;
  };

  /// Returns them of the upper or the lower row. A row that has seen no key gets zeros, and minus infinity.
  __device__ row_result finish(int half, float scale) const {
    constexpr float ln2 = 0.693147181f;
    float of_row = total[half] + __shfl_xor_sync(~0u, total[half], 1);
    of_row += __shfl_xor_sync(~0u, of_row, 2);
    if (of_row == 0) return {0, -INFINITY};
    return {1 / of_row, (top[half] * scale + log2f(of_row)) * ln2};
  }
};

}  // namespace attention

#pragma once

#include <cstring>

#include "hopper/ring.cuh"

namespace hopper {

/// One thread decides, and tells all warps of some others: values of two turns, in shared memory. A value becomes
/// visible by a later arrival of the same thread at a barrier on which the warps wait, such as that of a stage.
template <class Value>
struct relay {
  static_assert(sizeof(Value) % 4 == 0);
  using turn = place<2>;  // each role has one, and moves it on with every value

  Value told[2];
  std::uint64_t heard[2];

  /// So many warps hear each value. One thread calls it, as it does `ring::init`.
  __device__ void init(int warps) {
    for (auto& each : heard) ptx::mbarrier_init(each, warps);
  }

  /// Tells a value, once all warps have heard the last but one.
  __device__ void tell(turn& at, const Value& value) {
    ptx::mbarrier_wait(heard[at.stage], at.parity ^ 1);
    told[at.stage] = value;
    at.advance();
  }

  /// Returns the next value. All lanes of a warp call it, after the barrier on which it became visible.
  __device__ Value hear(turn& at) {
    int words[sizeof(Value) / 4] = {};
    if (threadIdx.x % 32 == 0) {
      std::memcpy(words, &told[at.stage], sizeof(Value));
      ptx::mbarrier_arrive(heard[at.stage]);
    }
    at.advance();
    for (int& word : words) word = __shfl_sync(~0u, word, 0);
    Value value;
    std::memcpy(&value, words, sizeof(Value));
    return value;
  }
};

}  // namespace hopper

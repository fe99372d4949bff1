#pragma once

#include "hopper/ptx.cuh"

namespace hopper {

/// Two warpgroups take turns, the first one first: each waits once and passes once per turn. A ring may be two rounds
/// ahead of a warpgroup that waits, which the parity of the ring's own barriers cannot show.
struct turns {
  std::uint64_t turn[2];

  /// Where a warpgroup is.
  struct place {
    int number;           // of the warpgroup, 0 or 1
    unsigned parity = 0;  // of its next turn
  };

  /// One thread calls it, as it does `ring::init`.
  __device__ void init() {
    for (auto& each : turn) ptx::mbarrier_init(each, 1);
  }

  /// Waits for the turn. All threads of a warpgroup call it.
  __device__ void wait(place& at) {
    ptx::mbarrier_wait(turn[at.number], at.parity ^ (at.number == 0));
    at.parity ^= 1;
  }

  /// Passes the turn on. One thread of a warpgroup calls it.
  __device__ void pass(const place& at) { ptx::mbarrier_arrive(turn[1 - at.number]); }
};

}  // namespace hopper

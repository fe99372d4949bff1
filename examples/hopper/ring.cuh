#pragma once

#include "hopper/ptx.cuh"

// A ring of stages in shared memory. A producer has them filled by copies, consumers empty them, and two barriers per
// stage tell either side how far the other is. Each role has a place of its own and moves it on, stage by stage:
//
//   producer   ring.fill(at, bytes), copies that complete on ring.filled(at), at.advance()
//   consumer   ring.wait_until_full(at), reads, ring.release(at.stage, …), at.advance()
//              or stage = ring.take(at), reads, ring.release(stage, …)

namespace hopper {

/// A stage of a ring, and the parity of the round in which a role passes it.
template <int Stages>
struct place {
  int stage = 0;
  unsigned parity = 0;

  __device__ void advance() {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }

  __device__ void skip(int stages) {
    parity ^= static_cast<unsigned>((stage + stages) / Stages) & 1;
    stage = (stage + stages) % Stages;
  }
};

/// The block of a cluster that a thread tells when a stage is free: thread i of a warpgroup tells the block of rank i,
/// if that one loads for this one.
struct sharer {
  unsigned rank;
  bool loads_for_this;
};

/// The barriers of a ring, in shared memory. Blocks of a cluster of `Cluster` blocks may fill each other's stages; with
/// one block there is no other.
template <int Stages, int Cluster = 1>
struct ring {
  std::uint64_t full[Stages], empty[Stages];

  /// Makes a stage full after `fills` arrivals and their bytes, and empty after `releases`. One thread calls it, and
  /// then `fence_mbarrier_init`, before a barrier of all that use the ring.
  __device__ void init(int fills, int releases) {
    for (auto& each : full) ptx::mbarrier_init(each, fills);
    for (auto& each : empty) ptx::mbarrier_init(each, releases);
  }

  /// Waits until all consumers have released the stage.
  __device__ void wait_until_empty(place<Stages> at) { ptx::mbarrier_wait(empty[at.stage], at.parity ^ 1); }

  /// Announces so many bytes for an empty stage.
  __device__ void expect(place<Stages> at, unsigned bytes) { ptx::mbarrier_arrive_expect_tx(full[at.stage], bytes); }

  /// Does both. One thread calls it for each of the fills.
  __device__ void fill(place<Stages> at, unsigned bytes) {
    wait_until_empty(at);
    expect(at, bytes);
  }

  /// Returns the barrier on which the copies to a stage complete.
  __device__ std::uint64_t& filled(place<Stages> at) { return full[at.stage]; }

  /// Waits until the stage is full. Every thread that reads it calls this.
  __device__ void wait_until_full(place<Stages> at) { ptx::mbarrier_wait(full[at.stage], at.parity); }

  /// Waits until the next stage is full, and returns its number, which `release` takes.
  __device__ int take(place<Stages>& at) {
    const int stage = at.stage;
    wait_until_full(at);
    at.advance();
    return stage;
  }

  /// Frees a stage, of a place or of an earlier one, in all blocks that fill it. All threads of a warpgroup call it
  /// after their last read.
  __device__ void release(int stage, const sharer& with) {
    if (!with.loads_for_this) return;
    if constexpr (Cluster == 1) {
      ptx::mbarrier_arrive(empty[stage]);
    } else {
      ptx::mbarrier_arrive_cluster(empty[stage], with.rank);
    }
  }
};

}  // namespace hopper

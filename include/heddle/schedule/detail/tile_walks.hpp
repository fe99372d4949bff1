#pragma once

#include <heddle/detail/gpu.hpp>
#include <heddle/schedule/detail/ptx.hpp>
#include <heddle/schedule/detail/tile_relay.hpp>

#if defined(__CUDACC__)

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::schedule {

/// Whether this is the first thread of the block, or of the cluster.
template <bool Clusters>
HEDDLE_DEVICE bool is_first_thread() {
  const bool first = (threadIdx.x | threadIdx.y | threadIdx.z) == 0;
  if constexpr (Clusters) return first && ptx::cluster_ctarank() == 0;
  return first;
}

/// Writes a word of shared memory, in this block or in all blocks of the cluster.
template <bool Clusters>
HEDDLE_DEVICE void tell(unsigned& word, unsigned value) {
  if constexpr (Clusters) {
    const unsigned address = ptx::shared_address(&word), blocks = ptx::cluster_nctarank();
    for (unsigned block = 0; block < blocks; ++block) ptx::st_shared_cluster(ptx::mapa(address, block), value);
  } else {
    word = value;
  }
}

/// Waits at a barrier of the block, or of the cluster.
template <bool Clusters>
HEDDLE_DEVICE void meet() {
  if constexpr (Clusters) {
    ptx::barrier_cluster();
  } else {
    __syncthreads();
  }
}

/// A walk in which every thread computes all indices by itself.
template <class Scheduler, class Machine>
class alone {
 public:
  template <class Storage>
  HEDDLE_DEVICE alone(const Scheduler& scheduler, Machine machine, Storage& none) : draws_(scheduler, machine, none) {}

  HEDDLE_DEVICE unsigned first(unsigned) { return draws_.first(); }

  HEDDLE_DEVICE unsigned next(unsigned index, unsigned) {
    index = draws_.next(index);
    // Opaque to the optimiser, which would unroll the loop by four.
    if constexpr (Scheduler::persistent) asm volatile("" : "+r"(index));
    return index;
  }

 private:
  typename Scheduler::template draws<Machine> draws_;
};

/// A walk of all threads together: the first thread draws, and the others read the index after one barrier of the block
/// (of the cluster) per tile. The next draw is answered while the tile is worked on.
///
/// One barrier is enough: a half of the relay is rewritten only after the barrier that follows its last read.
template <class Scheduler, class Machine>
class together {
 public:
  template <class Storage>
  HEDDLE_DEVICE together(const Scheduler& scheduler, Machine machine, Storage& shared)
      : draws_(scheduler, machine, shared), relay_(&shared) {}

  HEDDLE_DEVICE ~together() {
    if constexpr (requires { draws_.leave(); }) draws_.leave();
  }

  HEDDLE_DEVICE unsigned first(unsigned size) {
    // After this barrier all threads have left an earlier loop with this storage, and all blocks of a cluster have
    // started.
    meet<Machine::clusters>();
    if (is_first_thread<Machine::clusters>()) tell<Machine::clusters>(relay_->index[0], draws_.first());
    return hear(size);
  }

  HEDDLE_DEVICE unsigned next(unsigned index, unsigned size) {
    if (is_first_thread<Machine::clusters>()) tell<Machine::clusters>(relay_->index[turn_ & 1], draws_.next(index));
    return hear(size);
  }

 private:
  HEDDLE_DEVICE unsigned hear(unsigned size) {
    meet<Machine::clusters>();
    const unsigned index = relay_->index[turn_++ & 1];
    if (is_first_thread<Machine::clusters>() && index < size) draws_.ask();
    return index;
  }

  typename Scheduler::template draws<Machine> draws_;
  relay* relay_;
  unsigned turn_ = 0;
};

// Roles go at their own pace, kept within two tiles by mbarriers in shared memory: the leader is at most two tiles
// ahead of the last reader. Readers are the followers of all blocks, and the leaders of all blocks of a cluster but the
// first.

/// Initialises the relay of a block for this many followers per block.
HEDDLE_DEVICE inline void start(relay& all, unsigned followers, unsigned blocks) {
  const unsigned readers = (followers + 1) * blocks - 1;
  all.has_followers = followers > 0;
  for (int half = 0; half < 2; ++half) {
    ptx::mbarrier_init(ptx::shared_address(&all.told[half]), 1);
    ptx::mbarrier_init(ptx::shared_address(&all.read[half]), readers > 0 ? readers : 1);
  }
  ptx::fence_mbarrier_init();
}

/// The address of a barrier in the block that draws: the cluster's first block, or, without `Clusters`, this block.
template <bool Clusters>
HEDDLE_DEVICE unsigned of_drawer(const unsigned long long& barrier) {
  const unsigned address = ptx::shared_address(&barrier);
  if constexpr (Clusters) return ptx::mapa(address, 0);
  return address;
}

/// The walk of a follower: it reads what the leader tells.
template <bool Clusters>
class following {
 public:
  HEDDLE_DEVICE explicit following(relay& all) : relay_(&all) {}

  HEDDLE_DEVICE unsigned first(unsigned size) { return next(0, size); }
  HEDDLE_DEVICE unsigned fetch(unsigned, unsigned size) { return next(0, size); }

  HEDDLE_DEVICE unsigned next(unsigned, unsigned size) {
    const unsigned half = turn_ & 1;
    ptx::mbarrier_wait(ptx::shared_address(&relay_->told[half]), turn_++ >> 1 & 1);
    const unsigned index = relay_->index[half];
    // Reading the end is not confirmed: the leader's block may exit once everything before the end is.
    if (index < size) ptx::mbarrier_arrive(of_drawer<Clusters>(relay_->read[half]));
    return index;
  }

 private:
  relay* relay_;
  unsigned turn_ = 0;
};

/// The walk of a leader, one thread per block. It draws in the first block of its cluster, and reads like a follower in
/// the others.
template <class Scheduler, class Machine>
class leading {
 public:
  template <class Storage>
  HEDDLE_DEVICE leading(const Scheduler& scheduler, Machine machine, Storage& shared)
      : draws_(scheduler, machine, shared), relay_(&shared), as_reader_(shared) {}

  HEDDLE_DEVICE ~leading() {
    if constexpr (requires { draws_.leave(); }) draws_.leave();
  }

  HEDDLE_DEVICE unsigned first(unsigned size) {
    if (reads()) return as_reader_.first(size);
    return ask_ahead(tell(draws_.first(), size), size);
  }

  HEDDLE_DEVICE unsigned next(unsigned index, unsigned size) {
    if (reads()) return as_reader_.next(index, size);
    return ask_ahead(tell(draws_.next(index), size), size);
  }

  /// Sends for the next index.
  HEDDLE_DEVICE void ask() {
    if (reads()) return;
    if (turn_ > 0) return draws_.ask();
    if constexpr (requires { draws_.enter(); }) draws_.enter();
  }

  /// Waits for what `ask` sent for.
  HEDDLE_DEVICE unsigned fetch(unsigned index, unsigned size) {
    if (reads()) return as_reader_.next(index, size);
    if (turn_ > 0) return tell(draws_.next(index), size);
    if constexpr (requires { draws_.entered(); }) return tell(draws_.entered(), size);
    return tell(draws_.first(), size);
  }

 private:
  HEDDLE_DEVICE static bool reads() {
    if constexpr (Machine::clusters) return ptx::cluster_ctarank() != 0;
    return false;
  }

  HEDDLE_DEVICE unsigned ask_ahead(unsigned index, unsigned size) {
    if (index < size) draws_.ask();
    return index;
  }

  HEDDLE_DEVICE unsigned tell(unsigned index, unsigned size) {
    const unsigned half = turn_ & 1;
    if (turn_ >= 2) wait_until_read(turn_ - 2);
    const unsigned told = ptx::shared_address(&relay_->told[half]);
    const unsigned blocks = Machine::clusters ? ptx::cluster_nctarank() : 1;
    if (blocks > 1) {  // a launch without clusters may not store to the cluster
      const unsigned address = ptx::shared_address(&relay_->index[half]);
      for (unsigned block = relay_->has_followers ? 0 : 1; block < blocks; ++block) {
        ptx::mbarrier_arrive_expect_tx(ptx::mapa(told, block), sizeof index);
        ptx::st_async(ptx::mapa(address, block), index, ptx::mapa(told, block));
      }
    } else {
      relay_->index[half] = index;
      if (relay_->has_followers) ptx::mbarrier_arrive(told);
    }
    // After this no other block accesses this block's memory.
    if (Machine::clusters && index >= size && turn_ >= 1) wait_until_read(turn_ - 1);
    ++turn_;
    return index;
  }

  HEDDLE_DEVICE void wait_until_read(unsigned turn) {
    const bool has_readers = relay_->has_followers || (Machine::clusters && ptx::cluster_nctarank() > 1);
    if (has_readers) ptx::mbarrier_wait(ptx::shared_address(&relay_->read[turn & 1]), turn >> 1 & 1);
  }

  typename Scheduler::template draws<Machine> draws_;
  relay* relay_;
  following<Machine::clusters> as_reader_;
  unsigned turn_ = 0;
};

}}}  // namespace heddle::HEDDLE_ABI::detail::schedule

#endif

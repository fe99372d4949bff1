#pragma once

#include <heddle/detail/ptx.hpp>

// In place of include/heddle/schedule/detail/ptx.hpp.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::ptx {

inline constexpr bool cancels_launches = true;

inline unsigned ld_acquire_sys(const unsigned* from) {
  if (simt::random() % 4 == 0) simt::wait();
  return *from;
}

inline void st_release_sys(unsigned* to, unsigned value) {
  *to = value;
}

inline void barrier_cluster() {
  simt::cluster_barrier& all = simt::now->cluster();
  const unsigned generation = all.generation;
  ++all.arrived;
  simt::wait_until([&] { return all.generation != generation || all.arrived == all.alive; });
  if (all.generation == generation) {
    all.arrived = 0;
    ++all.generation;
  }
}

inline unsigned mapa(unsigned address, unsigned rank) {
  if (rank >= cluster_nctarank()) throw std::logic_error("mapa: a block outside the cluster");
  return address % (1u << address_bits) | (rank + 1) << address_bits;
}

inline void st_shared_cluster(unsigned address, unsigned value) {
  if (simt::random() % 4 == 0) simt::wait();
  at_address<unsigned>(address) = value;
}

// Barriers in shared memory.

struct barrier {
  unsigned pending : 10, expected : 10, phase : 1, is_made : 11;
  int bytes;
  static constexpr unsigned made = 0x5a5;
};
static_assert(sizeof(barrier) == 8);

inline barrier& barrier_at(unsigned address) {
  barrier& its = at_address<barrier>(address);
  if (its.is_made != barrier::made) throw std::logic_error("an mbarrier that was not initialised");
  return its;
}

inline void complete(barrier& its) {
  if (its.pending != 0 || its.bytes != 0) return;
  its.phase ^= 1;
  its.pending = its.expected;
}

inline void mbarrier_init(unsigned address, unsigned arrivals) {
  if (arrivals == 0 || arrivals >= 1u << 10) throw std::logic_error("mbarrier.init: a count that it cannot have");
  at_address<barrier>(address) = {arrivals, arrivals, 0, barrier::made, 0};
}

inline void fence_mbarrier_init() {}

inline void mbarrier_arrive(unsigned address) {
  if (simt::random() % 4 == 0) simt::wait();
  barrier& its = barrier_at(address);
  if (its.pending == 0) throw std::logic_error("mbarrier.arrive: more arrive than are expected");
  --its.pending;
  complete(its);
}

inline void mbarrier_wait(unsigned address, unsigned parity) {
  simt::wait_until([&] { return barrier_at(address).phase != parity; });
}

inline void mbarrier_arrive_expect_tx(unsigned address, unsigned bytes) {
  barrier_at(address).bytes += static_cast<int>(bytes);
  mbarrier_arrive(address);
}

inline void fence_proxy_async() {}

inline void fence_proxy_async_global() {}

inline void clusterlaunchcontrol_try_cancel(unsigned answer, unsigned barrier_address) {
  auto& word = at_address<unsigned long long>(answer);
  const auto* const beside = simt::now->grid->beside_others;
  word = beside == nullptr ? 0 : static_cast<unsigned>(simt::now->grid->beside_others->take_over() + 1);
  barrier& its = barrier_at(barrier_address);
  its.bytes -= 16;
  complete(its);
}

struct canceled {
  unsigned any, first_block;
};

inline canceled clusterlaunchcontrol_query_cancel(unsigned answer) {
  const auto word = static_cast<unsigned>(at_address<unsigned long long>(answer));
  return {word != 0, word - 1};
}

}}}  // namespace heddle::HEDDLE_ABI::detail::ptx

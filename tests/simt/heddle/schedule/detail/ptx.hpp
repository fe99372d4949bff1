#pragma once

#include <heddle/detail/ptx.hpp>

// In place of include/heddle/schedule/detail/ptx.hpp.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::ptx {

inline constexpr bool cancels_launches = true;

inline unsigned ld_relaxed_sys(const unsigned* from) {
  if (simt::random() % 4 == 0) simt::wait();
  return *from;
}

inline void fence_acquire_sys() {}

inline void st_release_sys(unsigned* to, unsigned value) {
  *to = value;
}

inline void barrier_cluster() {
  simt::cluster_sync();
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

inline simt::mbarrier& barrier_at(unsigned address) {
  return at_address<simt::mbarrier>(address).checked();
}

inline void mbarrier_init(unsigned address, unsigned arrivals) {
  at_address<simt::mbarrier>(address).init(arrivals);
}

inline void fence_mbarrier_init() {}

inline void mbarrier_arrive(unsigned address) {
  barrier_at(address).arrive();
}

inline void mbarrier_wait(unsigned address, unsigned parity) {
  barrier_at(address).wait(parity);
}

inline void mbarrier_arrive_expect_tx(unsigned address, unsigned bytes) {
  barrier_at(address).expect(static_cast<int>(bytes));
  mbarrier_arrive(address);
}

inline void st_async(unsigned address, unsigned value, unsigned barrier_address) {
  if (simt::random() % 4 == 0) simt::wait();
  at_address<unsigned>(address) = value;
  barrier_at(barrier_address).complete(static_cast<int>(sizeof value));
}

inline void fence_proxy_async() {}

inline void fence_proxy_async_global() {}

inline void clusterlaunchcontrol_try_cancel(unsigned answer, unsigned barrier_address) {
  auto& word = at_address<unsigned long long>(answer);
  const auto* const beside = simt::now->grid->beside_others;
  word = beside == nullptr ? 0 : static_cast<unsigned>(simt::now->grid->beside_others->take_over() + 1);
  barrier_at(barrier_address).complete(16);
}

struct canceled {
  unsigned any, first_block;
};

inline canceled clusterlaunchcontrol_query_cancel(unsigned answer) {
  const auto word = static_cast<unsigned>(at_address<unsigned long long>(answer));
  return {word != 0, word - 1};
}

}}}  // namespace heddle::HEDDLE_ABI::detail::ptx

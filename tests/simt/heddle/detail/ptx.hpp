#pragma once

// The instructions of include/heddle/detail/ptx.hpp as tests/simt.hpp runs them. This header takes the place of that
// one and stands for a GPU that has all of them. A use that an instruction does not allow throws an exception.

#include <heddle/detail/requires_sm_80.hpp>

namespace heddle::inline HEDDLE_ABI::detail::ptx {

inline constexpr bool has_clusters = true, cancels_launches = true;

inline unsigned smid() {
  return simt::now->grid->processors[simt::now->number.x];
}
inline unsigned laneid() {
  return simt::self->lane;
}
inline unsigned lanemask_lt() {
  return (1u << simt::self->lane) - 1;
}
inline unsigned long long gridid() {
  return simt::now->grid->number;
}

// Time: two ticks to a nanosecond, in which the timer advances by 32. Clocks of multiprocessors begin at random.

inline unsigned long long ticks = 1ull << 40;
inline unsigned long long offset_of_clock[64] = {};

inline unsigned long long later() {
  return ticks += 1 + simt::random() % 64;
}
inline unsigned long long clock64() {
  unsigned long long& offset = offset_of_clock[smid() % 64];
  if (offset == 0) offset = 1 + simt::random_word() % (1ull << 45);
  return later() + offset;
}
inline unsigned long long globaltimer() {
  return later() / 2 / 32 * 32;
}

template <class Word>
Word kept(Word value) {
  return value;
}
inline unsigned computed_here(unsigned value) {
  return value;
}
template <class Type>
Type* kept_shared(Type& shared) {
  return &shared;
}

inline unsigned ld_ca(const unsigned* from) {
  return *from;
}

inline unsigned ld_acquire_sys(const unsigned* from) {
  if (simt::random() % 4 == 0) simt::wait();
  return *from;
}
inline void st_release_sys(unsigned* to, unsigned value) {
  *to = value;
}

struct two_words {
  unsigned long long first, second;
};

inline two_words ld_volatile_v2(const unsigned long long* from) {
  if (simt::random() % 4 == 0) simt::wait();
  return {from[0], from[1]};
}
inline void st_v2(unsigned long long* to, unsigned long long first, unsigned long long second) {
  to[0] = first;
  to[1] = second;
  if (simt::random() % 4 == 0) simt::wait();
}

// Reductions over the lanes of a mask.

template <class Word>
Word redux_sync_add(unsigned lanes, Word value) {
  return simt::reduced("redux add", lanes, value, [](Word one, Word other) { return one + other; });
}
template <class Word>
Word redux_sync_min(unsigned lanes, Word value) {
  return simt::reduced("redux min", lanes, value, [](Word one, Word other) { return std::min(one, other); });
}
template <class Word>
Word redux_sync_max(unsigned lanes, Word value) {
  return simt::reduced("redux max", lanes, value, [](Word one, Word other) { return std::max(one, other); });
}
template <class Word>
Word redux_sync_or(unsigned lanes, Word value) {
  return simt::reduced("redux or", lanes, value, [](Word one, Word other) { return one | other; });
}

// Clusters.

inline unsigned clusterid() {
  return simt::now->number.x / simt::now->grid->in_cluster;
}
inline unsigned nclusterid() {
  return simt::now->grid->blocks.x / simt::now->grid->in_cluster;
}
inline unsigned cluster_ctarank() {
  return simt::now->number.x % simt::now->grid->in_cluster;
}
inline unsigned cluster_nctarank() {
  return simt::now->grid->in_cluster;
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

// Addresses of shared memory. The upper bits have 1 + the rank of a block in the cluster, or 0 for this block; the
// lower bits have the distance from the start of its shared memory.

inline constexpr unsigned address_bits = 27, half_of_addresses = 1u << (address_bits - 1);

inline unsigned shared_address(const void* pointer) {
  const auto distance = static_cast<const char*>(pointer) - &simt::shared_memory + half_of_addresses;
  if (distance < 0 || distance >> address_bits != 0) throw std::logic_error("an address outside shared memory");
  return static_cast<unsigned>(distance);
}

inline unsigned mapa(unsigned address, unsigned rank) {
  if (rank >= cluster_nctarank()) throw std::logic_error("mapa: a block outside the cluster");
  return address % (1u << address_bits) | (rank + 1) << address_bits;
}

template <class Word>
Word& at_address(unsigned address) {
  const unsigned rank = address >> address_bits;
  const unsigned block = rank == 0 ? simt::now->number.x : simt::now->number.x - cluster_ctarank() + rank - 1;
  char* const its = simt::now->grid->shared[block];
  if (its == nullptr) throw std::logic_error("shared memory of a block that does not run");
  return *reinterpret_cast<Word*>(its - half_of_addresses + address % (1u << address_bits));
}

inline void st_shared_cluster(unsigned address, unsigned value) {
  if (simt::random() % 4 == 0) simt::wait();
  at_address<unsigned>(address) = value;
}

// Asynchronous copies to shared memory. They complete when the thread waits for them, or earlier.

struct copy {
  unsigned* to;
  unsigned words[4];
};
inline thread_local std::vector<std::vector<copy>> copies;  // per thread

inline void cp_async_wait_all() {
  if (copies.size() <= threadIdx.x) return;
  for (const copy& each : copies[threadIdx.x]) std::copy_n(each.words, 4, each.to);
  copies[threadIdx.x].clear();
}

inline void cp_async(unsigned* to, const unsigned* from, unsigned bytes) {
  if (copies.size() <= threadIdx.x) copies.resize(threadIdx.x + 1);
  copy its{to, {}};
  for (unsigned i = 0; i < 4; ++i) its.words[i] = 4 * i < bytes ? from[i] : 0;
  copies[threadIdx.x].push_back(its);
  if (simt::random() % 2 == 0) cp_async_wait_all();
}

// Barriers in shared memory.

struct barrier {
  unsigned pending : 20, bytes : 11, phase : 1, expected : 20, is_made : 12;
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
  if (arrivals == 0 || arrivals >= 1u << 20) throw std::logic_error("mbarrier.init: a count that it cannot have");
  at_address<barrier>(address) = {arrivals, 0, 0, arrivals, barrier::made};
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
  barrier_at(address).bytes += bytes;
  mbarrier_arrive(address);
}
inline void fence_proxy_async() {}
inline void fence_proxy_async_global() {}

// Programmatic launches: a launch ends here before the next one starts.

inline void griddepcontrol_wait() {}
inline void griddepcontrol_launch_dependents() {}

// Taking over blocks that have not started.

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

}  // namespace heddle::inline HEDDLE_ABI::detail::ptx

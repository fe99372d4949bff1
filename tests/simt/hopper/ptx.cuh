#pragma once

// The instructions of examples/hopper/ptx.cuh as tests/simt.hpp runs them. A copy is made at some time between its
// issue and the wait that shows it.

#include <cuda_bf16.h>

#include <cmath>
#include <deque>
#include <map>

#include <heddle/schedule/detail/ptx.hpp>

#define __launch_bounds__(...)
#define __forceinline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))
#undef __shared__
#define __shared__ __thread  // as thread_local, but declared without a constructor

template <class Number>
Number min(Number one, Number other) {
  return one < other ? one : other;
}
template <class Number>
Number max(Number one, Number other) {
  return one < other ? other : one;
}
inline float __fmul_rn(float one, float other) {
  return one * other;
}
inline void __stcg(float4* to, float4 value) {
  if (simt::random() % 8 == 0) simt::wait();
  *to = value;
}
inline float4 __ldcg(const float4* from) {
  return *from;
}

namespace hopper {

alignas(1024) inline __thread unsigned char hopper_memory[227 * 1024];  // each block has a thread of the host

namespace ptx {

namespace heddles = heddle::detail::ptx;
using heddles::barrier_cluster, heddles::cluster_ctarank, heddles::cluster_nctarank, heddles::fence_mbarrier_init;

inline unsigned shared_address(const void* pointer) {
  const auto distance = static_cast<const unsigned char*>(pointer) - hopper_memory;
  if (distance < 0 || distance >= 227 * 1024) throw std::logic_error("an address outside of shared memory");
  return static_cast<unsigned>(distance);
}

/// Returns the same memory of another block of the cluster.
template <class Type>
Type& in_block(Type& memory, unsigned rank) {
  return heddles::at_address<Type>(heddles::mapa(heddles::shared_address(&memory), rank));
}

/// Returns where the accelerator and the matrix unit find a byte of rows whose pieces are permuted.
inline unsigned swizzled(unsigned address, unsigned pieces) {
  return address ^ (address >> 7 & (pieces - 1)) << 4;
}

/// Copies of all blocks that are on their way.
inline std::vector<std::function<void()>> flying;

/// Makes some of them, in any order.
inline void fly() {
  if (flying.empty() || simt::random() % 2 == 0) return;
  std::swap(flying[simt::random() % flying.size()], flying.back());
  const std::function<void()> one = std::move(flying.back());
  flying.pop_back();
  one();
}

inline void mbarrier_init(std::uint64_t& barrier, int arrivals) {
  heddles::mbarrier_init(heddles::shared_address(&barrier), static_cast<unsigned>(arrivals));
}
inline void mbarrier_arrive(std::uint64_t& barrier) {
  heddles::mbarrier_arrive(heddles::shared_address(&barrier));
}
inline void mbarrier_arrive_cluster(std::uint64_t& barrier, unsigned rank) {
  heddles::mbarrier_arrive(heddles::mapa(heddles::shared_address(&barrier), rank));
}
inline void mbarrier_arrive_expect_tx(std::uint64_t& barrier, unsigned bytes) {
  heddles::mbarrier_arrive_expect_tx(heddles::shared_address(&barrier), bytes);
}
inline void mbarrier_wait(std::uint64_t& barrier, unsigned parity) {
  const auto& its = heddles::barrier_at(heddles::shared_address(&barrier));
  simt::wait_until([&] {
    fly();
    return its.phase != (parity & 1);
  });
}

struct named {
  int arrived = 0, threads = 0;
  unsigned generation = 0;
};
inline thread_local named numbered[16];

inline void bar_sync(int number, int threads) {
  named& its = numbered[number];
  if (its.arrived > 0 && its.threads != threads) throw std::logic_error("bar.sync: threads disagree on their count");
  its.threads = threads;
  const unsigned generation = its.generation;
  if (++its.arrived == threads) its.arrived = 0, ++its.generation;
  simt::wait_until([&] { return its.generation != generation; });
}
inline float4 ld_shared_cluster(unsigned address, int rank) {
  return reinterpret_cast<float4&>(in_block(hopper_memory[address], static_cast<unsigned>(rank)));
}

/// Calls `copy(element of a box, element of the matrix, or null outside of it)` for each element of the box at a place.
template <class Copy>
void each_element(const CUtensorMap& map, unsigned char* block, unsigned box, const int (&at)[3], Copy copy) {
  for (int i = 0; i < map.box[1] * map.box[0]; ++i) {
    const int places[] = {at[0] + i % map.box[0], at[1] + i / map.box[0], at[2]};
    char* element = map.memory;
    for (unsigned along = 0; along < map.rank; ++along) {
      const bool is_inside = places[along] >= 0 && places[along] < map.extents[along];
      if (element != nullptr) element = is_inside ? element + places[along] * map.bytes_to_next[along] : nullptr;
    }
    copy(reinterpret_cast<std::uint16_t*>(block + swizzled(box + static_cast<unsigned>(i) * 2, map.pieces)),
         reinterpret_cast<std::uint16_t*>(element));
  }
}

inline void prefetch_tensormap(const CUtensorMap&) {}
inline void load(unsigned char& box, const CUtensorMap& map, int x, int y, int z, std::uint64_t& barrier,
                 unsigned rank) {
  unsigned char* const block = &in_block(hopper_memory[0], rank);
  const unsigned address = shared_address(&box);
  if (address % (map.pieces > 1 ? map.pieces * 128u : 16u) != 0)
    throw std::logic_error("a box at an address that is not aligned");
  auto& its = heddles::barrier_at(heddles::mapa(heddles::shared_address(&barrier), rank));
  flying.push_back([=, &its] {
    each_element(map, block, address, {x, y, z}, [](std::uint16_t* to, const std::uint16_t* from) {
      *to = from == nullptr ? static_cast<std::uint16_t>(0) : *from;
    });
    its.bytes -= map.box[0] * map.box[1] * 2;
    heddles::complete(its);
  });
}
inline void cp_async_bulk_tensor_load(unsigned char* box, const CUtensorMap& map, int x, int y,
                                      std::uint64_t& barrier) {
  load(*box, map, x, y, 0, barrier, cluster_ctarank());
}
inline void cp_async_bulk_tensor_load(unsigned char* box, const CUtensorMap& map, int x, int y, int matrix,
                                      std::uint64_t& barrier) {
  load(*box, map, x, y, matrix, barrier, cluster_ctarank());
}
inline void cp_async_bulk_tensor_multicast(unsigned char* box, const CUtensorMap& map, int x, int y,
                                           std::uint64_t& barrier, unsigned blocks) {
  for (unsigned rank = 0; blocks >> rank != 0; ++rank) {
    if ((blocks >> rank & 1) != 0) load(*box, map, x, y, 0, barrier, rank);
  }
}

/// The stores of a thread, in groups; the last group is not committed.
using groups = std::deque<std::vector<std::function<void()>>>;
inline std::map<const void*, groups> stores;

/// Runs what a thread has committed, but its last groups: now, or after other threads.
inline void run_but_last(unsigned kept, groups& all) {
  if (simt::random() % 4 == 0) simt::wait();
  for (; all.size() > kept + 1; all.pop_front()) {
    for (const auto& one : all.front()) one();
  }
}

inline groups& my_stores() {
  return stores.try_emplace(simt::self, 1).first->second;
}
inline void cp_async_bulk_tensor_store(const CUtensorMap& map, int x, int y, int matrix, const void* box) {
  my_stores().back().push_back([=, block = hopper_memory, address = shared_address(box)] {
    each_element(map, block, address, {x, y, matrix}, [](const std::uint16_t* from, std::uint16_t* to) {
      if (to != nullptr) *to = *from;
    });
  });
}
inline void cp_async_bulk_tensor_store(const CUtensorMap& map, int x, int y, const void* box) {
  cp_async_bulk_tensor_store(map, x, y, 0, box);
}
inline void cp_async_bulk_commit_group() {
  my_stores().emplace_back();
}
template <int Groups>
void cp_async_bulk_wait_group_read() {
  run_but_last(Groups, my_stores());
}

/// Each thread calls it at its end: no store may still read shared memory.
inline void end_of_thread() {
  const bool all_read = my_stores().size() == 1 && my_stores().back().empty();
  stores.erase(simt::self);
  if (!all_read) throw std::logic_error("a thread ends before its stores have read shared memory");
}
inline void fence_proxy_async() {}

inline float ex2(float x) {
  return std::exp2(x);
}
template <class Word>
void opaque(Word&) {}

template <int Registers>
void setmaxnreg_inc() {}
template <int Registers>
void setmaxnreg_dec() {}

/// Stores 8 x 8 matrices. Lane l has the address of row l % 8 of matrix l / 8; before, lane 4 r + c had columns 2 c and
/// 2 c + 1 of its row r.
template <bool Transposed, int Count>
void stmatrix(unsigned address, const unsigned (&matrix)[Count]) {
  const unsigned lane = simt::self->lane, row = lane % 8;
  for (unsigned i = 0; i < Count; ++i) {
    const auto& all = simt::meet("stmatrix", ~0u, matrix[i]);
    if (lane / 8 != i) continue;
    for (unsigned col = 0; col < 8; ++col) {
      const unsigned from_row = Transposed ? col : row, from_col = Transposed ? row : col;
      reinterpret_cast<std::uint16_t*>(hopper_memory + address)[col] =
          static_cast<std::uint16_t>(all.of(from_row * 4 + from_col / 2) >> from_col % 2 * 16);
    }
  }
}
inline void stmatrix_x4(unsigned address, const unsigned (&matrix)[4]) {
  stmatrix<false>(address, matrix);
}
inline void stmatrix_x2(unsigned address, unsigned first, unsigned second) {
  stmatrix<false>(address, {first, second});
}
inline void stmatrix_x4_transposed(unsigned address, const unsigned (&matrix)[4]) {
  stmatrix<true>(address, matrix);
}

}  // namespace ptx

}  // namespace hopper

#pragma once

// The instructions of examples/hopper/ptx.cuh as tests/simt.hpp runs them. Copies are done at some time between their
// issue and the barrier or the wait that shows them; until then others run.

#include <cuda.h>
#include <cuda_bf16.h>

#include <cstdint>
#include <deque>
#include <map>

#include <heddle/detail/ptx.hpp>

#define __launch_bounds__(...)
#define __forceinline__ inline
#define __align__(bytes) __attribute__((aligned(bytes)))
#undef __shared__
#define __shared__ __thread  // as thread_local, but declared without a constructor

template <class Number>
Number min(Number one, Number other) {
  return one < other ? one : other;
}
template <class Word>
void __stcg(Word* to, Word value) {
  if (simt::random() % 8 == 0) simt::wait();
  *to = value;
}
template <class Word>
Word __ldcg(const Word* from) {
  return *from;
}

namespace hopper {

alignas(1024) inline __thread unsigned char hopper_memory[227 * 1024];  // each block has a thread of the host

namespace ptx {

namespace detail = heddle::detail::ptx;

// Shared memory.

inline unsigned shared_address(const void* pointer) {
  const auto distance = static_cast<const unsigned char*>(pointer) - hopper_memory;
  if (distance < 0 || distance >= 227 * 1024) throw std::logic_error("an address outside of shared memory");
  return static_cast<unsigned>(distance);
}

/// Returns the same address in another block of the cluster.
template <class Type>
Type* in_block(Type* pointer, unsigned rank) {
  if (rank >= detail::cluster_nctarank()) throw std::logic_error("a block outside the cluster");
  char* const its = simt::now->grid->shared[simt::now->number.x - detail::cluster_ctarank() + rank];
  if (its == nullptr) throw std::logic_error("shared memory of a block that does not run");
  return reinterpret_cast<Type*>(its + (reinterpret_cast<char*>(pointer) - &simt::shared_memory));
}

/// Returns where the accelerator and the matrix unit find a byte of a swizzled box.
inline unsigned swizzled(unsigned address, unsigned pieces) {
  return address ^ (address >> 7 & (pieces - 1)) << 4;
}

// Barriers.

struct barrier {
  unsigned pending : 10, expected : 10, phase : 1, made : 11;
  int bytes;
};
static_assert(sizeof(barrier) == 8);
constexpr unsigned is_made = 0x5a5;

inline barrier& of(std::uint64_t& word) {
  auto& its = reinterpret_cast<barrier&>(word);
  if (its.made != is_made) throw std::logic_error("an mbarrier that was not initialised");
  return its;
}
inline void complete(barrier& its) {
  if (its.pending != 0 || its.bytes != 0) return;
  its.phase ^= 1;
  its.pending = its.expected;
}
inline void arrive(barrier& its) {
  if (its.pending == 0) throw std::logic_error("mbarrier.arrive: more arrive than are expected");
  --its.pending;
  complete(its);
}

/// Work of the accelerator that is on its way, of any block.
inline std::vector<std::function<void()>> flying;

/// Does some of it, in any order.
inline void fly() {
  if (flying.empty() || simt::random() % 2 == 0) return;
  const std::size_t at = simt::random() % flying.size();
  const std::function<void()> one = std::move(flying[at]);
  flying.erase(flying.begin() + static_cast<std::ptrdiff_t>(at));
  one();
}

inline void mbarrier_init(std::uint64_t& word, int arrivals) {
  if (arrivals <= 0 || arrivals >= 1024) throw std::logic_error("mbarrier.init: a count that it cannot have");
  reinterpret_cast<barrier&>(word) = {static_cast<unsigned>(arrivals), static_cast<unsigned>(arrivals), 0, is_made, 0};
}
inline void fence_mbarrier_init() {}
inline void mbarrier_arrive_expect_tx(std::uint64_t& word, unsigned bytes) {
  of(word).bytes += static_cast<int>(bytes);
  arrive(of(word));
}
inline void mbarrier_arrive(std::uint64_t& word) {
  if (simt::random() % 4 == 0) simt::wait();
  arrive(of(word));
}
inline void mbarrier_arrive_cluster(std::uint64_t& word, unsigned rank) {
  if (simt::random() % 4 == 0) simt::wait();
  arrive(of(*in_block(&word, rank)));
}
inline void mbarrier_wait(std::uint64_t& word, unsigned parity) {
  (void)of(word);
  simt::wait_until([&] {
    fly();
    return of(word).phase != (parity & 1);
  });
}

struct named {
  int arrived = 0, threads = 0;
  unsigned generation = 0;
};
inline thread_local named numbered[16];

inline void bar_sync(int number, int threads) {
  if (number <= 0 || number >= 16) throw std::logic_error("bar.sync: a number that is none, or that of __syncthreads");
  named& its = numbered[number];
  if (its.arrived > 0 && its.threads != threads) throw std::logic_error("bar.sync: threads disagree on their count");
  its.threads = threads;
  const unsigned generation = its.generation;
  if (++its.arrived == threads) {
    its.arrived = 0;
    ++its.generation;
  }
  simt::wait_until([&] { return its.generation != generation; });
}
inline void barrier_cluster() {
  detail::barrier_cluster();
}
inline unsigned cluster_ctarank() {
  return detail::cluster_ctarank();
}
inline unsigned cluster_nctarank() {
  return detail::cluster_nctarank();
}
inline float4 ld_shared_cluster(unsigned address, int rank) {
  return *reinterpret_cast<float4*>(in_block(hopper_memory + address, static_cast<unsigned>(rank)));
}

// Copies of boxes.

inline void prefetch_tensormap(const CUtensorMap&) {}

/// Calls `copy(byte in shared memory, element in memory, or null outside of the matrix)` for each element of a box.
template <class Copy>
void each_element(const CUtensorMap& map, unsigned char* block, unsigned box, const int (&at)[3], Copy copy) {
  const int row_bytes = map.box[0] * 2;
  const unsigned pieces = map.swizzle == CU_TENSOR_MAP_SWIZZLE_128B ? 8 : map.swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 4 : 1;
  for (int y = 0; y < map.box[1]; ++y) {
    for (int x = 0; x < map.box[0]; ++x) {
      const long long places[] = {at[0] + x, at[1] + y, at[2]};
      char* element = map.memory;
      for (unsigned i = 0; i < map.rank; ++i) {
        if (element == nullptr || places[i] < 0 || places[i] >= map.extents[i]) {
          element = nullptr;
        } else {
          element += places[i] * map.bytes_to_next[i];
        }
      }
      const unsigned address = box + static_cast<unsigned>(y * row_bytes + x * 2);
      copy(reinterpret_cast<std::uint16_t*>(block + swizzled(address, pieces)), reinterpret_cast<std::uint16_t*>(element));
    }
  }
}

inline void load(unsigned char* block, void* box, const CUtensorMap& map, int x, int y, int z, std::uint64_t& word) {
  const unsigned address = shared_address(box);
  if (address % (map.swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? 16 : 128) != 0) {
    throw std::logic_error("a box at an address that is not aligned");
  }
  barrier* const its = &of(word);
  flying.push_back([=] {
    int bytes = 0;
    each_element(map, block, address, {x, y, z}, [&](std::uint16_t* to, const std::uint16_t* from) {
      *to = from == nullptr ? static_cast<std::uint16_t>(0) : *from;
      bytes += 2;
    });
    its->bytes -= bytes;
    complete(*its);
  });
}
inline void cp_async_bulk_tensor_load(void* box, const CUtensorMap& map, int x, int y, std::uint64_t& word) {
  if (map.rank != 2) throw std::logic_error("a stack of matrices without the number of one");
  load(hopper_memory, box, map, x, y, 0, word);
}
inline void cp_async_bulk_tensor_load(void* box, const CUtensorMap& map, int x, int y, int z, std::uint64_t& word) {
  if (map.rank != 3) throw std::logic_error("a matrix of a stack that is none");
  load(hopper_memory, box, map, x, y, z, word);
}
inline void cp_async_bulk_tensor_multicast(void* box, const CUtensorMap& map, int x, int y, std::uint64_t& word,
                                           unsigned blocks) {
  for (unsigned rank = 0; blocks >> rank != 0; ++rank) {
    if ((blocks >> rank & 1) != 0) load(in_block(hopper_memory, rank), box, map, x, y, 0, *in_block(&word, rank));
  }
}

/// The stores of a thread, in groups; the last group is not committed.
struct stores {
  std::deque<std::vector<std::function<void()>>> groups{1};
};
inline std::map<const void*, stores> stores_of_threads;

inline void cp_async_bulk_tensor_store(const CUtensorMap& map, int x, int y, const void* box) {
  unsigned char* const block = hopper_memory;
  const unsigned address = shared_address(box);
  stores_of_threads[simt::self].groups.back().push_back([=] {
    each_element(map, block, address, {x, y, 0}, [](const std::uint16_t* from, std::uint16_t* to) {
      if (to != nullptr) *to = *from;
    });
  });
}
inline void cp_async_bulk_commit_group() {
  stores_of_threads[simt::self].groups.emplace_back();
}
inline void finish_stores(std::size_t but) {
  auto& groups = stores_of_threads[simt::self].groups;
  while (groups.size() > but + 1) {
    for (const auto& one : groups.front()) one();
    groups.pop_front();
  }
}
template <int Groups>
void cp_async_bulk_wait_group_read() {
  if (simt::random() % 4 == 0) simt::wait();
  finish_stores(Groups);
}

/// Called by each thread at its end: no store may still read shared memory.
inline void end_of_thread() {
  const auto found = stores_of_threads.find(simt::self);
  if (found == stores_of_threads.end()) return;
  const bool all_read = found->second.groups.size() == 1 && found->second.groups.back().empty();
  stores_of_threads.erase(found);
  if (!all_read) throw std::logic_error("a thread ends before its stores have read shared memory");
}

inline void fence_proxy_async() {}

// Registers.

template <int Registers>
void setmaxnreg_inc() {
  static_assert(Registers % 8 == 0 && Registers >= 24 && Registers <= 256);
}
template <int Registers>
void setmaxnreg_dec() {
  static_assert(Registers % 8 == 0 && Registers >= 24 && Registers <= 256);
}

/// Stores `Count` 8 x 8 matrices. Lane l has the address of row l % 8 of matrix l / 8; before, lane 4 r + c had columns
/// 2 c and 2 c + 1 of its row r.
template <int Count, bool Transposed, int Words>
void stmatrix(unsigned address, const unsigned (&matrix)[Words]) {
  const unsigned lane = simt::self->lane, row = lane % 8;
  for (unsigned i = 0; i < Count; ++i) {
    const auto& all = simt::meet("stmatrix", ~0u, matrix[i]);
    if (lane / 8 != i) continue;
    auto* const to = reinterpret_cast<std::uint16_t*>(hopper_memory + address);
    if (address % 16 != 0) throw std::logic_error("stmatrix: an address that is not aligned");
    for (unsigned col = 0; col < 8; ++col) {
      const unsigned from_row = Transposed ? col : row, from_col = Transposed ? row : col;
      to[col] = static_cast<std::uint16_t>(all.of(from_row * 4 + from_col / 2) >> from_col % 2 * 16);
    }
  }
}
inline void stmatrix_x4(unsigned address, const unsigned (&matrix)[4]) {
  stmatrix<4, false>(address, matrix);
}
inline void stmatrix_x2(unsigned address, unsigned first, unsigned second) {
  stmatrix<2, false>(address, {first, second});
}
inline void stmatrix_x4_transposed(unsigned address, const unsigned (&matrix)[4]) {
  stmatrix<4, true>(address, matrix);
}

}  // namespace ptx

}  // namespace hopper

#pragma once

// The instructions of examples/hopper/tma.cuh as tests/simt.hpp runs them. A copy is made at some time between its
// issue and the wait that shows it.

#include <deque>
#include <map>

#include "hopper/ptx.cuh"

namespace hopper::ptx {

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
    its.complete(map.box[0] * map.box[1] * 2);
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
  // The accelerator would write nothing; a kernel need not ask it to.
  const auto is_inside = [&](int along, int at) { return at + map.box[along] > 0 && at < map.extents[along]; };
  if (!is_inside(0, x) || !is_inside(1, y)) throw std::logic_error("a store of a box outside of its matrix");
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

}  // namespace hopper::ptx

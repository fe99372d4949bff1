#pragma once

// The instructions of examples/gemm/ampere.cuh as tests/simt.hpp runs them. A copy is made at the wait that shows it.

#include "hopper/tma.cuh"

#include <cmath>
#include <utility>

namespace gemm::ptx {

/// The copies of a thread, in groups; the last group is not committed.
inline std::map<const void*, hopper::ptx::groups> copies;

inline hopper::ptx::groups& my_copies() {
  return copies.try_emplace(simt::self, 1).first->second;
}

inline void cp_async_16(void* to, const void* from, int bytes) {
  if (reinterpret_cast<std::uintptr_t>(to) % 16 != 0 || reinterpret_cast<std::uintptr_t>(from) % 16 != 0) {
    throw std::logic_error("cp.async: an address that is not aligned");
  }
  std::memset(to, 0xff, 16);  // NaN until the copy is waited for
  my_copies().back().push_back([=] {
    std::memset(to, 0, 16);
    if (bytes > 0) std::memcpy(to, from, static_cast<unsigned>(bytes));
  });
}
inline void cp_async_16(void* to, const void* from) {
  cp_async_16(to, from, 16);
}
/// The copies of the last group are made at some time, and then the thread arrives.
inline void cp_async_mbarrier_arrive(std::uint64_t& barrier) {
  auto& its = hopper::ptx::heddles::barrier_at(hopper::ptx::heddles::shared_address(&barrier));
  hopper::ptx::flying.push_back([&its, all = std::exchange(my_copies().back(), {})] {
    for (const auto& one : all) one();
    its.arrived();
  });
}
inline void cp_async_commit_group() {
  my_copies().emplace_back();
}
template <int Groups>
void cp_async_wait_group() {
  hopper::ptx::run_but_last(Groups, my_copies());
}

/// Lane l has the address of row l % 8 of matrix l / 8. After it, lane 4 r + c has columns 2 c and 2 c + 1 of row r, or
/// of the transposed matrix.
template <bool Transpose>
void ldmatrix_x4(unsigned (&matrix)[4], const void* row) {
  const auto& all = simt::meet("ldmatrix", ~0u, reinterpret_cast<std::uintptr_t>(row));
  const unsigned lane = simt::self->lane, r = lane / 4, c = lane % 4 * 2;
  const auto at = [&](unsigned number, unsigned of_row, unsigned col) {
    return static_cast<unsigned>(reinterpret_cast<const std::uint16_t*>(all.of(number * 8 + of_row))[col]);
  };
  for (unsigned i = 0; i < 4; ++i) {
    matrix[i] = Transpose ? at(i, c, r) | at(i, c + 1, r) << 16 : at(i, r, c) | at(i, r, c + 1) << 16;
  }
}

/// Makes what a lane has of d: columns 2 (lane % 4) and the next one, of rows lane / 4 and 8 further. It finds the rows
/// of a and the columns of b with the lanes that have them.
template <class Element>
void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  const unsigned brought[] = {a[0], a[1], a[2], a[3], b0, b1}, lane = simt::self->lane;
  const auto& all = simt::meet("mma", ~0u, reinterpret_cast<std::uintptr_t>(brought));
  const auto element = [&](unsigned of_lane, unsigned word, unsigned half) {
    const auto bits = static_cast<std::uint16_t>(reinterpret_cast<const unsigned*>(all.of(of_lane))[word] >> half * 16);
    return static_cast<float>(std::bit_cast<Element>(bits));
  };
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = lane / 4 + i / 2 * 8, col = lane % 4 * 2 + i % 2;
    for (unsigned k = 0; k < 16; ++k) {
      const unsigned with = k % 8 / 2, high = k / 8;
      d[i] += element(row % 8 * 4 + with, row / 8 + 2 * high, k % 2) * element(col * 4 + with, 4 + high, k % 2);
    }
  }
  simt::meet("mma", ~0u, 0);  // what the others bring is on their stacks
}

}  // namespace gemm::ptx

namespace attention {
alignas(1024) inline __thread unsigned char attention_memory[227 * 1024];  // each block has a thread of the host
}

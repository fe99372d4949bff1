#pragma once

// The matrix unit of examples/hopper/wgmma.cuh as tests/simt.hpp runs it: products are computed at some time between
// their issue and the wait that shows them, of what is in shared memory then.

#include "hopper/ptx.cuh"

namespace hopper::ptx {

struct matrix {
  unsigned begin, layout;

  matrix operator+(unsigned further) const { return {begin + further, layout}; }

  /// Returns an element: its row of A (column of B), and its step of k below 16.
  template <class Element, int Transpose>
  float at(const unsigned char* block, int row, int k) const {
    if (layout >> 30 != 1) throw std::logic_error("a layout that is not swizzled by 128 bytes");
    const auto next_box = (begin >> 16 & 0x3fff) << 4, next_eight = (layout & 0x3fff) << 4;
    const auto r = static_cast<unsigned>(row), c = static_cast<unsigned>(k);
    const unsigned address = ((begin & 0x3fff) << 4) +
                             (Transpose == 0 ? r / 8 * next_eight + r % 8 * 128 + c * 2
                                             : r / 64 * next_box + c / 8 * next_eight + c % 8 * 128 + r % 64 * 2);
    return static_cast<float>(*reinterpret_cast<const Element*>(block + swizzled(address, 8)));
  }
};

/// The products of a thread, in groups; the last group is not committed.
inline std::map<const void*, stores> products_of_threads;

inline void wgmma_fence() {}
inline void wgmma_commit_group() {
  products_of_threads[simt::self].groups.emplace_back();
}
template <int Groups>
void wgmma_wait_group() {
  if (simt::random() % 4 == 0) simt::wait();
  auto& groups = products_of_threads[simt::self].groups;
  while (groups.size() > Groups + 1) {
    for (const auto& one : groups.front()) one();
    groups.pop_front();
  }
  if (groups.size() == 1 && groups.back().empty()) products_of_threads.erase(simt::self);
}

/// Computes what one thread has of d (64 x 2 Sums): two rows, and of every eight columns two.
template <class Element, int TransposeA, int TransposeB, int Sums>
void wgmma_m64k16(float (&d)[Sums], matrix a, matrix b, int adds) {
  const unsigned char* const block = hopper_memory;
  const int thread = static_cast<int>(threadIdx.x) % 128, lane = thread % 32;
  products_of_threads[simt::self].groups.back().push_back([=, &d] {
    float rows[2][16];
    for (int i = 0; i < 2; ++i) {
      for (int k = 0; k < 16; ++k) rows[i][k] = a.at<Element, TransposeA>(block, thread / 32 * 16 + lane / 4 + i * 8, k);
    }
    for (int pair = 0; pair < Sums / 4; ++pair) {
      for (int j = 0; j < 2; ++j) {
        const int col = pair * 8 + lane % 4 * 2 + j;
        float column[16];
        for (int k = 0; k < 16; ++k) column[k] = b.at<Element, TransposeB>(block, col, k);
        for (int i = 0; i < 2; ++i) {
          float& sum = d[pair * 4 + i * 2 + j];
          if (adds == 0) sum = 0;
          for (int k = 0; k < 16; ++k) sum += rows[i][k] * column[k];
        }
      }
    }
  });
}

}  // namespace hopper::ptx

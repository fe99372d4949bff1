#pragma once

// The matrix unit of examples/hopper/wgmma.cuh as tests/simt.hpp runs it. A warpgroup issues a product together. All of
// it is made in the first wait that shows it to a thread, of what is in shared memory then.

#include "hopper/tma.cuh"

namespace hopper::ptx {

struct matrix {
  unsigned begin, layout;

  matrix operator+(unsigned further) const { return {begin + further, layout}; }

  /// Returns an element: its row of A (column of B), and its step of k below 16.
  template <class Element, int Transpose>
  float at(int row, int k) const {
    const auto next_box = (begin >> 16 & 0x3fff) << 4, next_eight = (layout & 0x3fff) << 4;
    const auto r = static_cast<unsigned>(row), c = static_cast<unsigned>(k);
    const unsigned in_eight = Transpose == 0 ? r / 8 * next_eight + r % 8 * 128 + c * 2
                                             : r / 64 * next_box + c / 8 * next_eight + c % 8 * 128 + r % 64 * 2;
    const unsigned address = swizzled(((begin & 0x3fff) << 4) + in_eight, 8);
    return static_cast<float>(*reinterpret_cast<const Element*>(hopper_memory + address));
  }
};

/// What a thread of the block has issued, and how often it has passed each of three places.
struct issued {
  groups products{1};
  unsigned fences = 0, commits = 0, done = 0;
  std::vector<const unsigned*> a;  // registers of the products that have a there
};
inline thread_local issued issued_by[1024];

/// Waits until the warpgroup's threads have all passed a place so often.
inline void wait_for_all(unsigned issued::*passed, unsigned times) {
  const issued* const first = issued_by + threadIdx.x / 128 * 128;
  simt::wait_until(
      [&] { return std::all_of(first, first + 128, [&](const auto& its) { return its.*passed >= times; }); });
}

inline void wgmma_fence() {
  wait_for_all(&issued::fences, ++issued_by[threadIdx.x].fences);
}
inline void wgmma_commit_group() {
  issued_by[threadIdx.x].products.emplace_back();
  ++issued_by[threadIdx.x].commits;
}
template <int Groups>
void wgmma_wait_group() {
  const unsigned commits = issued_by[threadIdx.x].commits, done = commits < Groups ? 0 : commits - Groups;
  wait_for_all(&issued::commits, done);
  if (simt::random() % 4 == 0) simt::wait();
  for (unsigned i = 0; i < 128; ++i) {
    issued& its = issued_by[threadIdx.x / 128 * 128 + i];
    for (; its.done < done; ++its.done, its.products.pop_front()) {
      for (const auto& product : its.products.front()) product();
    }
  }
}

/// Makes what a thread has of d (64 x 2 Sums): of every eight columns two, in two rows.
template <class Element, int TransposeA, int TransposeB, int Sums>
void wgmma_m64k16(float (&d)[Sums], matrix a, matrix b, int adds) {
  const int thread = static_cast<int>(threadIdx.x) % 128;
  issued_by[threadIdx.x].products.back().push_back([=, &d] {
    for (int i = 0; i < Sums; ++i) {
      const int row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8, col = i / 4 * 8 + thread % 4 * 2 + i % 2;
      if (adds == 0) d[i] = 0;
      for (int k = 0; k < 16; ++k) d[i] += a.at<Element, TransposeA>(row, k) * b.at<Element, TransposeB>(col, k);
    }
  });
}

/// Does the same with a (64 x 16) in registers, as they are when the product is made. A row is with four threads, of
/// which each has two columns of every eight.
template <class Element, int TransposeB, int Sums>
void wgmma_m64k16(float (&d)[Sums], const unsigned (&a)[4], matrix b, int adds) {
  issued& mine = issued_by[threadIdx.x];
  mine.a.push_back(a);
  const issued* const of_row = issued_by + threadIdx.x / 4 * 4;
  const int thread = static_cast<int>(threadIdx.x) % 4;
  mine.products.back().push_back([=, &d, number = mine.a.size() - 1] {
    for (int i = 0; i < Sums; ++i) {
      const int col = i / 4 * 8 + thread * 2 + i % 2;
      if (adds == 0) d[i] = 0;
      for (int k = 0; k < 16; ++k) {
        const unsigned pair = of_row[k % 8 / 2].a[number][k / 8 * 2 + i / 2 % 2];
        const Element element = std::bit_cast<Element>(static_cast<std::uint16_t>(pair >> k % 2 * 16));
        d[i] += static_cast<float>(element) * b.at<Element, TransposeB>(col, k);
      }
    }
  });
}

}  // namespace hopper::ptx

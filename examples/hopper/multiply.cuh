#pragma once

#include "hopper/operand.cuh"
#include "hopper/ring.cuh"

// Products of a warpgroup. A thread has sums of two rows, eight apart, of each 64 rows: for every eight columns, two
// sums of the upper row and two of the lower one.

namespace hopper {

/// Issues the products of a stage, 64 steps of k of an A of 64 x Parts rows and of a B of 2 x Sums columns, and waits
/// for nothing: sums = a b, or sums += a b if it `adds`. All threads of the warpgroup call it after `wgmma_fence`.
template <class Element, major A, major B, int Parts, int Sums>
__device__ __forceinline__ void multiply(float (&sums)[Parts][Sums], ptx::matrix a, ptx::matrix b, bool adds) {
#pragma unroll
  for (int k16 = 0; k16 < 4; ++k16) {
#pragma unroll
    for (int part = 0; part < Parts; ++part) {
      ptx::wgmma_m64k16<Element, operand<A>::transpose, operand<B>::transpose>(
          sums[part], a + (part * operand<A>::next_64_rows + k16 * operand<A>::next_k16),
          b + k16 * operand<B>::next_k16, adds || k16 > 0);
    }
  }
}

/// Does the same with the A of a warp's rows in registers: a pair of columns each, as `stage_rows` asks its caller for
/// them, four for 16 steps of k. Sums of one product are so the A of a second one.
template <class Element, major B, int Steps16, int Sums>
__device__ __forceinline__ void multiply(float (&sums)[Sums], const unsigned (&a)[Steps16][4], ptx::matrix b,
                                         bool adds) {
#pragma unroll
  for (int k16 = 0; k16 < Steps16; ++k16) {
    ptx::wgmma_m64k16<Element, operand<B>::transpose>(sums, a[k16], b + k16 * operand<B>::next_k16, adds || k16 > 0);
  }
}

/// Makes such an A of the sums of another product.
template <class Element, int Sums>
__device__ __forceinline__ void pack_operand(unsigned (&a)[Sums / 8][4], const float (&sums)[Sums]) {
#pragma unroll
  for (int i = 0; i < Sums / 2; ++i) a[i / 4][i % 4] = pack<Element>(sums[2 * i], sums[2 * i + 1]);
}

/// Issues the products of operands that lie in boxes side by side, of 64 columns and any number of rows. With A in
/// shared memory, k goes along the boxes of both, and A begins so many bytes behind the beginning of its boxes.
template <class Element, int Parts, int Sums, int Boxes, int OfA, int OfB>
__device__ __forceinline__ void multiply_boxes(float (&sums)[Parts][Sums], const unsigned char (&a)[Boxes][OfA],
                                               int behind_a, const unsigned char (&b)[Boxes][OfB]) {
  using k_major = operand<major::k>;
#pragma unroll
  for (int box = 0; box < Boxes; ++box) {
    multiply<Element, major::k, major::k>(sums, k_major::matrix_at(a[box] + behind_a), k_major::matrix_at(b[box]),
                                          box > 0);
  }
}

/// Does the same with A in registers: k goes down the rows of B.
template <class Element, int Steps16, int Sums, int Boxes, int OfB>
__device__ __forceinline__ void multiply_boxes(float (&sums)[Sums], const unsigned (&a)[Steps16][4],
                                               const unsigned char (&b)[Boxes][OfB], bool adds) {
  multiply<Element, major::mn>(sums, a, operand<major::mn>::matrix_at<OfB / 128>(b), adds);
}

/// Keeps the compiler from moving what computes these registers, or reads them, across this place: between
/// `wgmma_fence` and a wait they belong to the matrix unit.
template <class Word, int Count>
__device__ __forceinline__ void fence_registers(Word (&registers)[Count]) {
#pragma unroll
  for (Word& each : registers) ptx::opaque(each);
}

/// The matrices that a warpgroup multiplies in a stage.
struct operands_of_stage {
  ptx::matrix a, b;
};

/// Multiplies so many stages of a ring, and frees them. A stage is free when the products of the one after it have been
/// issued and its own are done: the matrix unit always has the next. `matrices(at, step)` returns what to multiply of a
/// stage that is full; `all_issued()` is called before the wait for the last products. Without stages the sums stay.
template <class Element, major A, major B, int Parts, int Sums, int Stages, int Cluster, class Matrices, class Issued>
__device__ __forceinline__ void multiply_stages(float (&sums)[Parts][Sums], int stages, ring<Stages, Cluster>& ring,
                                                place<Stages>& at, const sharer& with, const Matrices& matrices,
                                                const Issued& all_issued) {
  int before = -1;
  for (int step = 0; step < stages; ++step) {
    ring.wait_until_full(at);
    const operands_of_stage of = matrices(at.stage, step);
    ptx::wgmma_fence();
    multiply<Element, A, B>(sums, of.a, of.b, step > 0);
    ptx::wgmma_commit_group();
    ptx::wgmma_wait_group<1>();  // the step before is done
    if (before >= 0) ring.release(before, with);
    before = at.stage;
    at.advance();
  }
  all_issued();
  ptx::wgmma_wait_group<0>();
  if (before >= 0) ring.release(before, with);
}

}  // namespace hopper

#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "hopper/ptx.cuh"

// Hopper's matrix unit (sm_90a): d = a b, or d += a b if `adds`. d (64 x n) is in registers of four warps, b (16 x n) in
// shared memory, and a (64 x 16) in either. n is twice the number of sums in d.

namespace hopper::ptx {

__device__ inline void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void wgmma_commit_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Waits until all but the last `Groups` groups are done.
template <int Groups>
__device__ void wgmma_wait_group() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Groups) : "memory");
}

/// A matrix in shared memory: its first byte, in units of 16 bytes, and its layout.
struct matrix {
  unsigned begin, layout;

  __device__ matrix operator+(unsigned further) const { return {begin + further, layout}; }
  __device__ std::uint64_t descriptor() const { return std::uint64_t{layout} << 32 | begin; }
};

// The text of an asm statement names each register by its number, so that every n needs its own text. Macros write it
// for both types of element. First the operands of d in the text:
#define HOPPER_NUMBERS_8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define HOPPER_NUMBERS_16 \
  HOPPER_NUMBERS_8        \
  ", %8, %9, %10, %11, %12, %13, %14, %15"
#define HOPPER_NUMBERS_32 \
  HOPPER_NUMBERS_16       \
  ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define HOPPER_NUMBERS_48 \
  HOPPER_NUMBERS_32       \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define HOPPER_NUMBERS_64 \
  HOPPER_NUMBERS_48       \
  ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define HOPPER_NUMBERS_80 \
  HOPPER_NUMBERS_64       \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define HOPPER_NUMBERS_88 \
  HOPPER_NUMBERS_80       \
  ", %80, %81, %82, %83, %84, %85, %86, %87"
#define HOPPER_NUMBERS_96 \
  HOPPER_NUMBERS_88       \
  ", %88, %89, %90, %91, %92, %93, %94, %95"
#define HOPPER_NUMBERS_112 \
  HOPPER_NUMBERS_96        \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111"
#define HOPPER_NUMBERS_128 \
  HOPPER_NUMBERS_112       \
  ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// The sums that those numbers stand for:
#define HOPPER_EIGHT_SUMS(i)                                                                                  \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
      "+f"(d[i + 7])
#define HOPPER_SUMS_8 HOPPER_EIGHT_SUMS(0)
#define HOPPER_SUMS_16 HOPPER_SUMS_8, HOPPER_EIGHT_SUMS(8)
#define HOPPER_SUMS_32 HOPPER_SUMS_16, HOPPER_EIGHT_SUMS(16), HOPPER_EIGHT_SUMS(24)
#define HOPPER_SUMS_48 HOPPER_SUMS_32, HOPPER_EIGHT_SUMS(32), HOPPER_EIGHT_SUMS(40)
#define HOPPER_SUMS_64 HOPPER_SUMS_48, HOPPER_EIGHT_SUMS(48), HOPPER_EIGHT_SUMS(56)
#define HOPPER_SUMS_80 HOPPER_SUMS_64, HOPPER_EIGHT_SUMS(64), HOPPER_EIGHT_SUMS(72)
#define HOPPER_SUMS_88 HOPPER_SUMS_80, HOPPER_EIGHT_SUMS(80)
#define HOPPER_SUMS_96 HOPPER_SUMS_88, HOPPER_EIGHT_SUMS(88)
#define HOPPER_SUMS_112 HOPPER_SUMS_96, HOPPER_EIGHT_SUMS(96), HOPPER_EIGHT_SUMS(104)
#define HOPPER_SUMS_128 HOPPER_SUMS_112, HOPPER_EIGHT_SUMS(112), HOPPER_EIGHT_SUMS(120)

// clang-format off
#define HOPPER_WGMMA_OF(type, n, sums, a, b, adds, ...)                                             \
  asm volatile(                                                                                     \
      "{\n\t.reg .pred adds;\n\tsetp.ne.b32 adds, %" #adds ", 0;\n\t"                                 \
      "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type " "                           \
      "{" HOPPER_NUMBERS_##sums "}, " a ", %" #b ", adds, 1, 1, " __VA_ARGS__ ";\n\t}"              \
      : HOPPER_SUMS_##sums
#define HOPPER_WGMMA_OF_SHARED(type, n, sums, at_a, at_b, at_adds, at_transpose_a, at_transpose_b)  \
  HOPPER_WGMMA_OF(type, n, sums, "%" #at_a, at_b, at_adds, "%" #at_transpose_a ", %" #at_transpose_b) \
      : "l"(a.descriptor()), "l"(b.descriptor()), "r"(adds), "n"(TransposeA), "n"(TransposeB))
#define HOPPER_WGMMA_OF_REGISTERS(type, n, sums, a0, a1, a2, a3, at_b, at_adds, at_transpose_b)     \
  HOPPER_WGMMA_OF(type, n, sums, "{%" #a0 ", %" #a1 ", %" #a2 ", %" #a3 "}", at_b, at_adds, "%" #at_transpose_b) \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b.descriptor()), "r"(adds), "n"(TransposeB))
// clang-format on

// Registers of `a` hold pairs of the 16 rows of a warp: the four 8 x 8 matrices that `stmatrix_x4` would store.
#define HOPPER_WGMMA(n, sums, i, j, k, l, m, o, p)                                                   \
  template <class Element, int TransposeA, int TransposeB>                                           \
  __device__ void wgmma_m64k16(float(&d)[sums], matrix a, matrix b, int adds) {                      \
    if constexpr (std::is_same_v<Element, __nv_bfloat16>) {                                          \
      HOPPER_WGMMA_OF_SHARED("bf16", n, sums, i, j, k, l, m);                                        \
    } else {                                                                                         \
      HOPPER_WGMMA_OF_SHARED("f16", n, sums, i, j, k, l, m);                                         \
    }                                                                                                \
  }                                                                                                  \
  template <class Element, int TransposeB>                                                           \
  __device__ void wgmma_m64k16(float(&d)[sums], const unsigned(&a)[4], matrix b, int adds) {         \
    if constexpr (std::is_same_v<Element, __nv_bfloat16>) {                                          \
      HOPPER_WGMMA_OF_REGISTERS("bf16", n, sums, i, j, k, l, m, o, p);                               \
    } else {                                                                                         \
      HOPPER_WGMMA_OF_REGISTERS("f16", n, sums, i, j, k, l, m, o, p);                                \
    }                                                                                                \
  }

// n, the sums of a thread, and the numbers of the operands that follow d.
HOPPER_WGMMA(16, 8, 8, 9, 10, 11, 12, 13, 14)
HOPPER_WGMMA(32, 16, 16, 17, 18, 19, 20, 21, 22)
HOPPER_WGMMA(64, 32, 32, 33, 34, 35, 36, 37, 38)
HOPPER_WGMMA(96, 48, 48, 49, 50, 51, 52, 53, 54)
HOPPER_WGMMA(128, 64, 64, 65, 66, 67, 68, 69, 70)
HOPPER_WGMMA(160, 80, 80, 81, 82, 83, 84, 85, 86)
HOPPER_WGMMA(176, 88, 88, 89, 90, 91, 92, 93, 94)
HOPPER_WGMMA(192, 96, 96, 97, 98, 99, 100, 101, 102)
HOPPER_WGMMA(224, 112, 112, 113, 114, 115, 116, 117, 118)
HOPPER_WGMMA(256, 128, 128, 129, 130, 131, 132, 133, 134)

}  // namespace hopper::ptx

#pragma once

#include <heddle/launch/arch.hpp>

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)

// Kernels that each keep one unit busy, for `calibrate`: one block per multiprocessor, and as much work per thread as
// `turns` says. Results are stored only if they have a value that does not occur, so that no work can be left out.

namespace heddle { inline namespace HEDDLE_ABI { namespace detail::busy {

/// Checks the architecture at the use of the kernel.
template <int Code>
struct calibration_needs {
  static_assert(Code == 0 || Code >= sm_80, "heddle: calibrate needs sm_80 or newer: compile with -arch=sm_80");
};

constexpr int reading_threads = 1024, multiplying_threads = 512;  // of a block

/// Loads 16 bytes from L2, past L1.
HEDDLE_DEVICE inline uint4 ld_cg(const uint4* from) {
  uint4 word;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
               : "l"(from));
  return word;
}

/// Loads 16 bytes that L1 may keep.
HEDDLE_DEVICE inline uint4 ld_ca(const uint4* from) {
  uint4 word;
  asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
               : "l"(from));
  return word;
}

/// Adds the product of a (16 x 16) and b (16 x 8) in bf16 to d (16 x 8), by a warp.
HEDDLE_DEVICE inline void mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// Does nothing.
template <int>
__global__ void idle() {}

/// Reads a set of words round and round, each block from another place on, 128 bytes per thread and turn. With
/// `ThroughL1` every block reads its first 16 KB alone, which L1 keeps.
template <bool ThroughL1>
__global__ void __launch_bounds__(reading_threads, 1)
    read(const uint4* set, unsigned words, int turns, unsigned* never) {
  constexpr int at_once = 8;
  const unsigned pages = words / reading_threads;
  unsigned page = static_cast<unsigned>(static_cast<unsigned long long>(pages) * blockIdx.x / gridDim.x), seen = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    uint4 got[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      if constexpr (ThroughL1) {
        got[i] = ld_ca(set + (threadIdx.x + 32 * (turn * at_once + i)) % reading_threads);
      } else {
        got[i] = ld_cg(set + page * reading_threads + threadIdx.x);
        page = page + 1 < pages ? page + 1 : 0;
      }
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) seen |= got[i].x ^ got[i].y ^ got[i].z ^ got[i].w;
  }
  if (seen == 0xffffffff) *never = seen;
}
constexpr double bytes_of_read = 8.0 * 16 * reading_threads;  // of a block in a turn

/// Reads pages of 16 KB of a set at random, 128 bytes per thread and turn, past L1: each block other pages, so that no
/// block finds what another one has just fetched but by chance.
template <int>
__global__ void __launch_bounds__(reading_threads, 1)
    read_at_random(const uint4* set, unsigned words, int turns, unsigned* never) {
  constexpr int at_once = 8;
  const unsigned pages = words / reading_threads;
  unsigned drawn = 0x9e3779b9u * (blockIdx.x + 1), seen = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    uint4 got[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      drawn = drawn * 1664525u + 1013904223u;
      const unsigned mixed = (drawn ^ drawn >> 15) * 0x2c1b3c6du;
      got[i] = ld_cg(set + __umulhi(mixed ^ mixed >> 12, pages) * reading_threads + threadIdx.x);
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) seen |= got[i].x ^ got[i].y ^ got[i].z ^ got[i].w;
  }
  if (seen == 0xffffffff) *never = seen;
}

/// Issues instructions, half of them of fp32 and half of integers: on some cards neither kind alone fills all slots.
template <int>
__global__ void __launch_bounds__(reading_threads, 1) issue(float factor, unsigned mask, int turns, unsigned* never) {
  float x[4];
  unsigned n[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) n[i] = threadIdx.x + i, x[i] = static_cast<float>(n[i]);
#pragma unroll 1  // the loop must stay in the instruction caches
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[i % 4]) : "f"(factor));
      asm volatile("add.u32 %0, %0, %1;" : "+r"(n[i % 4]) : "r"(mask));
      asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[i % 4]) : "f"(factor));
      asm volatile("xor.b32 %0, %0, %1;" : "+r"(n[i % 4]) : "r"(mask));
    }
  }
  const float sum = x[0] + x[1] + x[2] + x[3];
  if ((n[0] | n[1] | n[2] | n[3]) == 1 && sum == 1) *never = 1;
}
constexpr double instructions_of_issue = 4.0 * 32 * reading_threads;  // of a block in a turn

/// Multiplies matrices of random numbers by mma.sync.
template <int Delayed>
__global__ void __launch_bounds__(multiplying_threads, 1) multiply(unsigned seed, int turns, unsigned* never) {
  static_assert(sizeof(calibration_needs<compiled_code + 0 * Delayed>) > 0);
  unsigned a[4], b[2], drawn = seed + 0x9e3779b9u * (blockIdx.x * multiplying_threads + threadIdx.x + 1);
  const auto draw = [&] {  // two numbers of bf16 from -2 to -1 or from 1 to 2
    drawn = drawn * 1664525u + 1013904223u;
    return (drawn & 0x807f807fu) | 0x3f803f80u;
  };
  for (unsigned& word : a) word = draw();
  for (unsigned& word : b) word = draw();
  float sums[4][4]{};
#pragma unroll 1  // the loop must stay in the instruction caches
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < 16; ++i) mma(sums[i % 4], a, b);
  }
  float sum = 0;
  for (const auto& tile : sums) {
    for (const float one : tile) sum += one;
  }
  if (sum == 0.5f) *never = 1;
}
constexpr double operations_of_multiply = 16 * 2.0 * 16 * 8 * 16 * (multiplying_threads / 32);  // of a block in a turn

/// Draws numbers from a counter that begins at 0, one after another in each block, fewer than 2^31 in all.
template <int>
__global__ void draw(unsigned* counter, int turns, unsigned* never) {
  if (threadIdx.x > 0) return;
  unsigned drawn = 0;
  for (int turn = 0; turn < turns; ++turn) drawn = atomicAdd(counter + (drawn >> 31), 1u);  // after the one before
  if (drawn >> 31 != 0) *never = drawn;
}

}}}  // namespace heddle::HEDDLE_ABI::detail::busy

#endif

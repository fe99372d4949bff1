#pragma once

#include <cuda_runtime.h>

#include <heddle/concepts.hpp>

// The Mandelbrot set, in fixed point: host and device compute the same. Tiles within it take longest.

constexpr int tile_size = 32, threads = 1024, most_turns = 500;
constexpr int rows = 2048, cols = 3072;  // pixels: multiples of a tile
constexpr int fraction_bits = 26;

__host__ __device__ inline int turns_of(int row, int col) {
  constexpr long long one = 1LL << fraction_bits;
  const long long x = -2 * one + 3 * one * col / cols, y = -one + 2 * one * row / rows;
  long long real = 0, imaginary = 0;
  for (int turn = 0; turn < most_turns; ++turn) {
    const long long real2 = real * real >> fraction_bits, imaginary2 = imaginary * imaginary >> fraction_bits;
    if (real2 + imaginary2 > 4 * one) return turn;
    imaginary = (real * imaginary >> (fraction_bits - 1)) + y;
    real = real2 - imaginary2 + x;
  }
  return most_turns;
}

template <heddle::tile_scheduler Scheduler>
__global__ void paint(const __grid_constant__ Scheduler scheduler, int* turns) {
  __shared__ heddle::static_shared<typename Scheduler::storage> smem;
  for (const auto [tile_row, tile_col] : scheduler.tiles(smem)) {
    for (int i = static_cast<int>(threadIdx.x); i < tile_size * tile_size; i += threads) {
      const int row = tile_row * tile_size + i / tile_size, col = tile_col * tile_size + i % tile_size;
      turns[row * cols + col] = turns_of(row, col);
    }
    __syncthreads();  // a tile ends when all of its threads are done
  }
}

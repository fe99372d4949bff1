#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sort_bench {

/// A merge sort compiled for one launch shape.
template <class Key>
struct configuration {
  std::string name;
  int threads, values, min_blocks;
  cudaError_t (*sort)(Key* keys, Key* scratch, int* partitions, int count, cudaStream_t stream);
};

/// The launch shapes that are compiled; 256x7 without min_blocks is one of them.
std::vector<configuration<std::uint32_t>> configurations32();
std::vector<configuration<std::uint64_t>> configurations64();

}  // namespace sort_bench

#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

// Fills arrays of keys, and compares two of them.

namespace sort_bench {

constexpr int fill_blocks = 1024, fill_threads = 256;

/// What the unsorted keys are.
enum class content {
  random,
  few_distinct,  // the four largest keys; one of them pads a tile, so ties that are resolved wrongly show
  descending,
};

inline const char* name_of(content kind) {
  switch (kind) {
    case content::random:
      return "random";
    case content::few_distinct:
      return "few distinct";
    default:
      return "descending";
  }
}

template <class Key>
__global__ void fill(Key* keys, std::size_t count, std::uint64_t seed, content kind) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    // splitmix64: the i-th number of the sequence that starts at the seed.
    std::uint64_t hash = seed + (i + 1) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    hash ^= hash >> 31;
    switch (kind) {
      case content::random:
        keys[i] = static_cast<Key>(hash);
        break;
      case content::few_distinct:
        keys[i] = static_cast<Key>(~(hash & 3));
        break;
      case content::descending:
        keys[i] = static_cast<Key>(count - i);
        break;
    }
  }
}

/// Adds the number of places where a and b differ to *mismatches.
template <class Key>
__global__ void compare(const Key* a, const Key* b, std::size_t count, unsigned long long* mismatches) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  unsigned long long different = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    different += a[i] != b[i];
  }
  if (different != 0) atomicAdd(mismatches, different);
}

}  // namespace sort_bench

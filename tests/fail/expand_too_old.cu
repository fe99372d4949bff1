// expect: heddle: work expansion (expand/) needs sm_80 or newer: compile with -arch=sm_80
// options: -arch=compute_75

#include <heddle/expand.hpp>

// Both passes and all missing functions give one error.
template <class Work>
__global__ void push(const __grid_constant__ Work work) {
  __shared__ typename Work::push_storage smem;
  work.push(smem, threadIdx.x, 1);
}

template <class Work>
__global__ void take(const __grid_constant__ Work work, unsigned* out) {
  __shared__ typename Work::storage smem;
  for (const auto [source, rank] : work.items(smem)) out[source] = rank;
}

template __global__ void push(const __grid_constant__ heddle::packed_prefix);
template __global__ void take(const __grid_constant__ heddle::packed_prefix, unsigned*);
template __global__ void push(const __grid_constant__ heddle::scanned);
template __global__ void take(const __grid_constant__ heddle::scanned, unsigned*);
template __global__ void push(const __grid_constant__ heddle::power_of_two);
